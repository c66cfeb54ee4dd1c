"""The API of interagent-framework: the same names, the same fields, and the hub behind them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from interagent import (
    Hub,
    InterAgentError,
    Message,
    MessageBus,
    NotFoundError,
    RefusedError,
    Session,
    Task,
    TaskStatus,
    UsageError,
)


@pytest.fixture
def session(directory: Path) -> Session:
    session = Session.create("My Project", principal="claude")
    assert session.save() is True
    return session


def test_save_makes_the_hub(directory: Path) -> None:
    assert Session.load() is None
    session = Session.create("My Project", principal="kimi", mode="review")
    session.save()
    loaded = Session.load()
    assert loaded is not None
    assert (loaded.name, loaded.principal, loaded.mode) == ("My Project", "kimi", "review")
    assert loaded.id == session.id and loaded.id.startswith("hub-")
    assert (loaded.get_agent_role("kimi"), loaded.get_agent_role("claude")) == ("principal", "delegate")
    assert (directory / ".interagent" / "team.toml").is_file()


def test_saved_session_changes_only_what_it_says(session: Session) -> None:
    Task.create("Stays", assignee="kimi").save()
    session.update(name="Renamed")
    session.save()
    Session.create("Renamed", principal="claude").save()
    loaded = Session.load()
    assert loaded is not None and loaded.name == "Renamed"
    assert [task.title for task in Task.list_all()] == ["Stays"]


def test_summary_counts_tasks(session: Session) -> None:
    task = Task.create("One", assignee="kimi")
    task.save()
    session.add_task(task.id)
    assert session.get_summary()["active_tasks_count"] == 1
    task.update(status="completed")
    task.save()
    session.complete_task(task.id)
    assert session.get_summary()["completed_tasks_count"] == 1
    session.save()
    summary = session.get_summary()
    assert (summary["active_tasks_count"], summary["completed_tasks_count"]) == (0, 1)
    assert set(summary["agents"]) == {"claude", "kimi"}


def test_task_goes_its_way(session: Session) -> None:
    task = Task.create(
        title="Implement API",
        description="With tests",
        assignee="kimi",
        assigner="claude",
        priority="high",
        requirements=["fast"],
        acceptance_criteria=["tested"],
    )
    first_id = task.id
    task.save()
    assert task.id.startswith("task-") and task.status == "assigned"
    by_alias = Task.load(first_id)
    assert by_alias is not None and by_alias.id == task.id
    task.update(status=TaskStatus.IN_PROGRESS.value)
    task.save()
    task.update(status="completed", deliverables=["src/api.py"], notes=[{"timestamp": "", "note": "by hand"}])
    task.save()
    loaded = Task.load(task.id)
    assert loaded is not None and loaded.status == "completed"
    data = loaded.to_dict()
    assert (data["assigner"], data["assignee"], data["deliverables"]) == ("claude", "kimi", ["src/api.py"])
    assert [note["note"] for note in data["notes"]] == ["by hand"]
    assert "- [ ] fast" in loaded.to_markdown() and "- src/api.py" in loaded.to_markdown()
    loaded.update(status="approved")
    loaded.save()
    assert loaded.status == "approved" and loaded.move_to_completed() is True


def test_tasks_are_listed_oldest_first(session: Session) -> None:
    for title, assignee in (("A", "kimi"), ("B", "claude"), ("C", None)):
        Task.create(title, assignee=assignee).save()
    done = Task.list_all(assignee="kimi")[0]
    assert done.move_to_completed() is True
    assert [task.title for task in Task.list_all()] == ["A", "B", "C"]
    assert [task.title for task in Task.list_all(active_only=True)] == ["B", "C"]
    assert [task.title for task in Task.list_all(status="completed")] == ["A"]
    assert Task.list_all(status="pending")[0].to_dict()["description"] == ""


def test_task_changes_and_changes_hands(session: Session) -> None:
    task = Task.create("Draft")
    task.save()
    task.update(title="Final", priority="critical", assignee="kimi")
    task.save()
    assert (task.title, task.priority, task.assignee) == ("Final", "critical", "kimi")
    first = task.id
    task.update(assignee="claude")
    task.save()
    assert task.assignee == "claude" and task.id != first
    earlier = Task.load(first)
    assert earlier is not None and earlier.status == "reassigned"


def test_what_can_not_be_saved_is_an_error(session: Session) -> None:
    task = Task.create("Task", assignee="nobody")
    with pytest.raises(NotFoundError):
        task.save()
    task = Task.create("Task", assignee="kimi")
    task.save()
    with pytest.raises(UsageError):
        task.update(colour="red")
    task.update(requirements=["other"])
    with pytest.raises(UsageError):
        task.save()
    finished = Task.create("Finished", assignee="kimi")
    finished.save()
    finished.update(status="approved")
    finished.save()
    finished.update(status="pending")
    finished.save()
    finished.update(status="assigned")
    with pytest.raises(InterAgentError):
        finished.save()
    assert Task.load("../../session") is None and Task.load("") is None
    with pytest.raises(ValueError):
        Session.create("X", mode="chaos")


def test_message_reaches_the_inbox(session: Session) -> None:
    message = Message.create(sender="claude", recipient="kimi", content="Task assigned!", subject="Hello")
    assert not message.is_read
    message.save()
    message.save()
    inbox = MessageBus.get_inbox("kimi")
    assert [(mail.sender, mail.subject, mail.content) for mail in inbox] == [("claude", "Hello", "Task assigned!")]
    assert inbox[0].id == message.id
    assert [mail.id for mail in MessageBus.get_outbox("claude")] == [message.id]
    assert MessageBus.mark_read(message.id) is True
    assert MessageBus.mark_read(message.id) is False
    assert MessageBus.get_inbox("kimi") == [] and Message.load(message.id) is None
    archived = Message.load(message.id, pending=False)
    assert archived is not None and archived.is_read and archived.content == "Task assigned!"


def test_types_of_messages_are_intents(session: Session) -> None:
    task = Task.create("Design", assignee="kimi", assigner="claude")
    task.save()
    for kind in ("message", "delegation", "review", "discussion"):
        sender, recipient = ("kimi", "claude") if kind == "review" else ("claude", "kimi")
        MessageBus.send(Message.create(sender, recipient, f"a {kind}", message_type=kind, task_id=task.id))
    sent = MessageBus.get_outbox("claude") + MessageBus.get_outbox("kimi")
    assert {mail.content: mail.message_type for mail in sent if mail.content.startswith("a ")} == {
        "a message": "message",
        "a delegation": "delegation",
        "a review": "review",
        "a discussion": "discussion",
    }


def test_agents_speak_for_themselves_only(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERAGENT_AGENT", "kimi")
    Message.create("kimi", "claude", "mine").save()
    with pytest.raises(RefusedError) as refused:
        Message.create("claude", "kimi", "not mine").save()
    assert refused.value.code == "not_you"


def test_files_follow_when_the_script_ends(session: Session, directory: Path) -> None:
    task = Task.create("Seen in files", assignee="kimi")
    task.save()
    from interagent._default import default_hub

    default_hub().close()
    files = list((directory / ".interagent" / "tasks" / "active").glob("*.json"))
    assert [json.loads(file.read_text())["title"] for file in files] == ["Seen in files"]


def test_script_follows_its_directory(session: Session, tmp_path: Path) -> None:
    Task.create("First").save()
    other = tmp_path / "other"
    other.mkdir()
    os.chdir(other)
    Session.create("Other").save()
    assert Task.list_all() == []
    with Hub.open(tmp_path / "project") as first:
        assert len(first.task.list()) == 1
