"""The session of a project: its name, its mode and who decides."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._default import default_hub, found, new_id, pages
from ._errors import RefusedError, UsageError
from ._shape import format_time
from ._link import init

MODES = ("hierarchical", "peer", "review")
"""How the agents of a session work together."""

_CLOSED = ("completed", "approved")


class Session:
    """A project with its agents and tasks.

    `save()` makes the project's hub, or changes the name, mode or principal of the one that is there. Everything else that
    the hub has stays as it is.
    """

    def __init__(self, data: Optional[Dict[str, Any]] = None) -> None:
        self._data: Dict[str, Any] = data or {}

    @property
    def id(self) -> str:
        """The id of the hub."""
        return str(self._data.get("id", "unknown"))

    @property
    def name(self) -> str:
        """The project's name."""
        return str(self._data.get("name", "Unnamed Session"))

    @property
    def mode(self) -> str:
        """hierarchical, peer or review."""
        return str(self._data.get("mode", "hierarchical"))

    @property
    def principal(self) -> str:
        """Who decides and approves."""
        return str(self._data.get("principal", "claude"))

    @property
    def agents(self) -> Dict[str, Dict[str, Any]]:
        """Role and registration time of each agent."""
        agents: Dict[str, Dict[str, Any]] = self._data.get("agents", {})
        return agents

    def get_agent_role(self, agent: str) -> str:
        """An agent's role."""
        return str(self.agents.get(agent, {}).get("role", "delegate"))

    def to_dict(self) -> Dict[str, Any]:
        """The same as a dictionary."""
        return self._data

    @classmethod
    def create(cls, name: str, principal: str = "claude", mode: str = "hierarchical") -> Session:
        """A new session. Nothing is stored before `save()`."""
        if mode not in MODES:
            raise UsageError(f"Invalid mode: {mode}", code="unknown_word", hint=f"modes: {', '.join(MODES)}")
        if not principal:
            raise UsageError("Invalid principal: it has no name", code="bad_name")
        names = ["claude", "kimi"] if principal in ("claude", "kimi") else [principal, "claude", "kimi"]
        roles = {agent: "principal" if agent == principal else "delegate" for agent in names}
        return cls(
            {
                "id": new_id("session"),
                "name": name,
                "created": None,
                "updated": None,
                "mode": mode,
                "principal": principal,
                "agents": {agent: {"role": role, "since": None} for agent, role in roles.items()},
                "active_tasks": [],
                "completed_tasks": [],
                "discussions": [],
            }
        )

    @classmethod
    def load(cls) -> Optional[Session]:
        """The session of the hub here; nothing where there is none."""
        data = _from_hub()
        return None if data is None else cls(data)

    def save(self) -> bool:
        """Creates the hub, or applies name, mode and principal to an existing one."""
        known = _from_hub()
        if known is None or (known["name"], known["mode"], known["principal"]) != (self.name, self.mode, self.principal):
            try:
                init(project=self.name, principal=self.principal, mode=self.mode)
            except RefusedError as refused:
                if refused.code != "hub_exists":
                    raise
                init(project=self.name, principal=self.principal, mode=self.mode, force=True)
            known = _from_hub()
        for name, value in (known or {}).items():
            self._data[name] = value
        return True

    def update(self, **fields: Any) -> None:
        """Changes fields. The name, the mode and the principal reach the hub with `save()`."""
        self._data.update(fields)

    def add_task(self, task_id: str) -> None:
        """Lists a task as active. The hub knows its tasks without that."""
        active: List[str] = self._data.setdefault("active_tasks", [])
        if task_id not in active:
            active.append(task_id)

    def complete_task(self, task_id: str) -> None:
        """Lists an active task as completed. The hub knows its tasks without that."""
        active: List[str] = self._data.setdefault("active_tasks", [])
        completed: List[str] = self._data.setdefault("completed_tasks", [])
        if task_id in active:
            active.remove(task_id)
            completed.append(task_id)

    def get_summary(self) -> Dict[str, Any]:
        """The session in short."""
        return {
            "id": self.id,
            "name": self.name,
            "mode": self.mode,
            "principal": self.principal,
            "agents": self.agents,
            "active_tasks_count": len(self._data.get("active_tasks", [])),
            "completed_tasks_count": len(self._data.get("completed_tasks", [])),
        }


def _from_hub() -> Optional[Dict[str, Any]]:
    """The session as the hub has it; `None` without a hub or a team."""
    hub = default_hub()
    team = found(hub.team.show)
    if team is None:
        return None
    agents = {
        agent.name: {"role": agent.role or "collaborator", "since": format_time(agent.registered)}
        for agent in hub.agent.list()
        if agent.profile != "human"
    }
    tasks = list(pages(lambda after: hub.task.list(after=after, limit=1000)))
    decisions = list(pages(lambda after: hub.decision.list(after=after, limit=1000)))
    principal = next((name for name, agent in agents.items() if agent["role"] == "principal"), "")
    changed = format_time(team.changed)
    return {
        "id": hub.whoami().hub,
        "name": team.project,
        "created": min((agent["since"] for agent in agents.values()), default=changed),
        "updated": changed,
        "mode": team.mode or team.formation,
        "principal": principal,
        "agents": agents,
        "active_tasks": [task.id for task in reversed(tasks) if task.status not in _CLOSED],
        "completed_tasks": [task.id for task in reversed(tasks) if task.status in _CLOSED],
        "discussions": [decision.id for decision in reversed(decisions)],
    }
