"""Tasks, as the documented API has them."""

from __future__ import annotations

from datetime import datetime, timezone
from enum import Enum
from typing import Any, Dict, List, Optional, cast

from . import types
from ._default import acting, default_hub, found, new_id, pages
from ._errors import UsageError
from ._shape import format_time

PRIORITIES = ("low", "medium", "high", "critical")

_ENDED = ("completed", "approved", "rejected", "failed", "cancelled", "reassigned")
_FIELDS = (
    "id title description status priority assignee assigner created updated "
    "requirements acceptance_criteria deliverables notes"
).split()
_FIXED = ("requirements", "acceptance_criteria", "assigner")


class TaskStatus(Enum):
    """The states of a task."""

    PENDING = "pending"
    ASSIGNED = "assigned"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    UNDER_REVIEW = "under_review"
    REVISION_NEEDED = "revision_needed"
    APPROVED = "approved"
    REJECTED = "rejected"


class Task:
    """A task. `save()` stores what was created or updated since, and the rules of the team apply to it."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self._given = data
        self._stored: Optional[Dict[str, Any]] = None
        self._is_row = False

    @property
    def _data(self) -> Dict[str, Any]:
        if self._is_row:
            # A list has rows only; the rest is read when it is asked for.
            view = default_hub().task.show(str(self._given["id"]))
            self._take(view)
        return self._given

    @property
    def id(self) -> str:
        """The task's id. The hub gives another one at the first `save()`, and knows the earlier one as an alias."""
        return str(self._given.get("id", "unknown"))

    @property
    def title(self) -> str:
        """One line."""
        return str(self._given.get("title", "Untitled"))

    @property
    def status(self) -> str:
        """A word of `TaskStatus`."""
        return _word(self._given.get("status", "pending"))

    @property
    def assignee(self) -> Optional[str]:
        """Who works on it."""
        return cast(Optional[str], self._given.get("assignee"))

    @property
    def assigner(self) -> Optional[str]:
        """Who wants it."""
        return cast(Optional[str], self._given.get("assigner"))

    @property
    def priority(self) -> str:
        """low, medium, high or critical."""
        return str(self._given.get("priority", "medium"))

    def to_dict(self) -> Dict[str, Any]:
        """The same as a dictionary."""
        return self._data

    def to_markdown(self) -> str:
        """The same for people."""
        data = self._data
        lines = [
            f"# Task: {self.title}",
            "",
            f"**ID:** {self.id}",
            f"**Status:** {self.status}",
            f"**Priority:** {self.priority}",
            f"**Assignee:** {self.assignee or 'Unassigned'}",
            f"**Assigner:** {self.assigner or 'Unknown'}",
            "",
            "## Description",
            data.get("description") or "_No description_",
            "",
        ]
        for heading, field, mark in (
            ("Requirements", "requirements", "- [ ] "),
            ("Acceptance Criteria", "acceptance_criteria", "- [ ] "),
            ("Deliverables", "deliverables", "- "),
        ):
            if data.get(field):
                lines += [f"## {heading}", "", *(f"{mark}{item}" for item in data[field]), ""]
        return "\n".join(lines)

    @classmethod
    def create(
        cls,
        title: str,
        description: str = "",
        assignee: Optional[str] = None,
        assigner: Optional[str] = None,
        priority: str = "medium",
        requirements: Optional[List[str]] = None,
        acceptance_criteria: Optional[List[str]] = None,
    ) -> Task:
        """A new task. Nothing is stored before `save()`."""
        now = format_time(datetime.now(timezone.utc))
        return cls(
            {
                "id": new_id("task"),
                "title": title,
                "description": description,
                "status": "pending",
                "priority": priority if priority in PRIORITIES else "medium",
                "assignee": assignee,
                "assigner": assigner,
                "created": now,
                "updated": now,
                "requirements": list(requirements or []),
                "acceptance_criteria": list(acceptance_criteria or []),
                "deliverables": [],
                "notes": [],
            }
        )

    @classmethod
    def load(cls, task_id: str) -> Optional[Task]:
        """The task of an id or alias; nothing where there is none."""
        view = found(lambda: default_hub().task.show(task_id)) if task_id else None
        return None if view is None else cls({})._take(view)

    @classmethod
    def list_all(
        cls, status: Optional[str] = None, assignee: Optional[str] = None, active_only: bool = False
    ) -> List[Task]:
        """All tasks that fit, oldest first."""
        hub = default_hub()
        word = cast(Any, None if status is None else _word(status))
        rows: List[types.TaskRow] = list(
            pages(lambda after: hub.task.list(status=word, assignee=assignee, after=after, limit=1000))
        )
        tasks = [cls({})._take_row(row) for row in reversed(rows)]
        return [task for task in tasks if not (active_only and task.status in _ENDED)]

    def update(self, **fields: Any) -> None:
        """Changes fields. They reach the hub with `save()`."""
        unknown = [name for name in fields if name not in _FIELDS]
        if unknown:
            hint = f"fields: {', '.join(_FIELDS)}"
            raise UsageError(f"a task has no field `{unknown[0]}`", code="unknown_field", hint=hint)
        data = self._data
        data.update(fields)
        data["status"] = _word(data.get("status", "pending"))
        data["updated"] = format_time(datetime.now(timezone.utc))

    def save(self) -> bool:
        """Stores what is new. Raises what the hub refuses."""
        if self._is_row:
            return True
        wanted = dict(self._given)
        if self._stored is None:
            self._create(wanted)
        else:
            self._rewrite(wanted, self._stored)
        self._go_on(wanted, self._stored or {})
        return True

    def move_to_completed(self) -> bool:
        """Completes the task, unless that was done; the hub then lists it as completed."""
        if self.status not in _ENDED:
            self.update(status="completed")
        return self.save()

    def _create(self, wanted: Dict[str, Any]) -> None:
        local = str(wanted.get("id") or new_id("task"))
        view = acting(wanted.get("assigner")).task.create(
            str(wanted.get("title", "")),
            description=wanted.get("description") or None,
            assignee=wanted.get("assignee"),
            priority=wanted.get("priority"),
            requirements=wanted.get("requirements") or (),
            acceptance_criteria=wanted.get("acceptance_criteria") or (),
            aliases=local,
            key=local,
        )
        self._take(view)

    def _rewrite(self, wanted: Dict[str, Any], stored: Dict[str, Any]) -> None:
        """Changes what the task says, and who works on it."""
        differs = {name for name in _FIELDS if name in wanted and wanted[name] != stored[name]}
        fixed = [name for name in _FIXED if name in differs]
        if fixed:
            raise UsageError(f"`{fixed[0]}` of a task can't change once it was saved", code="fixed_field")
        texts = {name: wanted[name] for name in ("title", "description", "priority") if name in differs}
        if texts:
            self._take(default_hub().task.update(self.id, **texts))
        if "assignee" in differs and wanted["assignee"]:
            self._assign(str(wanted["assignee"]), stored["assignee"])

    def _assign(self, assignee: str, before: Optional[str]) -> None:
        if before is None:
            self._take(acting(assignee).task.claim(self.id))
            return
        closed = default_hub().task.reassign(self.id, to=assignee)
        # The task is closed, and a linked one goes on with the new assignee.
        self._take(default_hub().task.show(closed.successor or closed.id))

    def _go_on(self, wanted: Dict[str, Any], stored: Dict[str, Any]) -> None:
        """Adds notes and deliverables, and moves the task."""
        hub = default_hub()
        view: Optional[types.TaskView] = None
        for note in list(wanted.get("notes") or [])[len(stored["notes"]) :]:
            view = hub.task.note(self.id, note=str(note["note"] if isinstance(note, dict) else note))
        status = _word(wanted.get("status", "pending"))
        new = [item for item in wanted.get("deliverables") or [] if item not in stored["deliverables"]]
        if new and status == "completed":
            # The report of its assignee completes the task.
            view = acting(self.assignee).task.report(
                task=self.id,
                status="done",
                summary=f"Completed: {self.title}",
                files_modified=new,
                skill_candidate={"found": False},
            )
        elif new:
            view = hub.task.note(self.id, note=f"Deliverables: {', '.join(new)}")
        is_moved = status not in (stored["status"], "pending")
        if is_moved and (view is None or view.status != status):
            view = hub.task.update(self.id, status=cast(Any, status))
        if view is not None:
            self._take(view)

    def _take(self, view: types.TaskView) -> Task:
        """Has what the hub has."""
        deliverables: List[str] = []
        for report in view.reports:
            deliverables += [path for path in report.files_modified if path not in deliverables]
        self._given = {
            "id": view.id,
            "title": view.title,
            "description": view.description or "",
            "status": view.status,
            "priority": view.priority,
            "assignee": None if view.assignee is None else view.assignee.name,
            "assigner": view.assigner.name,
            "created": format_time(view.created),
            "updated": format_time(view.updated),
            "requirements": list(view.requirements),
            "acceptance_criteria": list(view.acceptance_criteria),
            "deliverables": deliverables,
            "notes": [{"timestamp": format_time(note.at), "note": note.note or ""} for note in view.notes],
        }
        self._stored = {name: _copied(value) for name, value in self._given.items()}
        self._is_row = False
        return self

    def _take_row(self, row: types.TaskRow) -> Task:
        self._given = {
            "id": row.id,
            "title": row.title,
            "status": row.status,
            "priority": row.priority,
            "assignee": None if row.assignee is None else row.assignee.name,
            "assigner": row.assigner.name,
            "created": format_time(row.created),
            "updated": format_time(row.updated),
        }
        self._is_row = True
        return self


def _word(status: Any) -> str:
    """A status as a word, also where a `TaskStatus` was given."""
    return str(status.value if isinstance(status, TaskStatus) else status)


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value
