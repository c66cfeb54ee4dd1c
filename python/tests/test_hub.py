"""The hub as methods."""

from __future__ import annotations

import dataclasses
import fcntl
import os
import signal
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from interagent import (
    ClosedError,
    ConflictError,
    Hub,
    InterAgentError,
    NotFoundError,
    RefusedError,
    UnavailableError,
    UsageError,
    types,
)


def child_of(hub: Hub) -> int:
    return hub._link.connection()._process.pid


def test_answers_are_typed(hub: Hub) -> None:
    task = hub.task.create("Design the schema", assignee="kimi", requirements=["one", "two"])
    assert isinstance(task, types.TaskView)
    assert task.assignee is not None and task.assignee.name == "kimi"
    assert task.requirements == ["one", "two"] and task.reports == [] and task.order is False
    assert task.created.tzinfo is timezone.utc
    assert abs(datetime.now(timezone.utc) - task.created) < timedelta(minutes=5)
    assert task.reply.seq == 3 and "kimi" in task.reply.notes[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        task.title = "other"  # type: ignore[misc]
    assert task.to_json()["assignee"] == {"id": task.assignee.id, "name": "kimi", "replica": None}
    assert types.TaskView.from_json(task.to_json()) == task


def test_pages_are_sequences(hub: Hub) -> None:
    for number in range(5):
        hub.task.create(f"Task {number}")
    page = hub.task.list(limit=3)
    assert [row.title for row in page] == ["Task 4", "Task 3", "Task 2"] and len(page) == 3
    rest = hub.task.list(limit=3, after=page.next)
    assert [row.title for row in rest] == ["Task 1", "Task 0"] and rest.next is None


def test_one_text_is_a_list_of_one(hub: Hub) -> None:
    sent = hub.message.send(to="kimi", body="hello")
    both = hub.message.send(to=["kimi", "claude"], body="hello")
    assert [who.name for who in sent.to] == ["kimi"]
    assert {who.name for who in both.to} == {"kimi", "claude"}


def test_moments_and_parts_are_parameters(hub: Hub) -> None:
    later = datetime.now(timezone.utc) + timedelta(days=1)
    sent = hub.message.send(
        to="kimi", body="look", expires=later, refs=[{"kind": "file", "target": "src/main.py", "first_line": 3}]
    )
    message = hub.message.read(sent.id)
    assert message.expires == later
    assert (message.refs[0].target, message.refs[0].first_line) == ("src/main.py", 3)
    assert hub.message.list(from_="operator").items[0].id == sent.id


def test_refusals_say_what_helps(hub: Hub) -> None:
    with pytest.raises(NotFoundError) as missing:
        hub.task.show("task-zzzz")
    assert missing.value.code == "not_found" and "task-zzzz" in missing.value.message
    assert missing.value.hint is not None and str(missing.value).endswith(f"hint: {missing.value.hint}")
    with pytest.raises(NotFoundError) as nobody:
        hub.message.send(to="nobody", body="hello")
    assert "kimi" in str(nobody.value)
    with pytest.raises(UsageError):
        hub.message.send(to="kimi", body="hello", priority="whenever")  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        hub.message.send(to="kimi", body="\ud800")
    with pytest.raises(UsageError):
        hub.call("message.send", {"body": float("nan")})
    with pytest.raises(UsageError):
        hub.call("message.send", {"body": object()})
    with pytest.raises(InterAgentError):
        hub.call("no.such", {})


def test_no_hub_is_an_error_that_names_init() -> None:
    with Hub.open() as hub:
        with pytest.raises(NotFoundError) as error:
            hub.task.list()
        assert error.value.code == "no_hub" and error.value.hint is not None and "init" in error.value.hint
        Hub.create(project="Late")
        assert hub.task.list().items == []


def test_hub_is_found_by_path(hub: Hub, directory: Path, tmp_path: Path) -> None:
    hub.task.create("Here")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.chdir(elsewhere)
    with Hub.open(directory) as other:
        assert [task.title for task in other.task.list()] == ["Here"]


def test_agent_is_who_calls_count_for(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    kimi = hub.as_agent("kimi")
    assert kimi.message.send(to="claude", body="done").to[0].name == "claude"
    message = hub.message.list().items[0]
    assert message.from_.name == "kimi" and message.spoken_by is not None
    with Hub.open(agent="kimi") as opened:
        assert opened.status.set(text="busy").name == "kimi"
    monkeypatch.setenv("INTERAGENT_AGENT", "kimi")
    with Hub.open() as own, Hub.open(agent="claude") as other:
        member = own.whoami().member
        assert member is not None and member.name == "kimi"
        with pytest.raises(RefusedError) as refused:
            other.status.set(text="busy")
        assert refused.value.code == "not_you"


def test_script_is_the_operator_without_a_terminal(hub: Hub) -> None:
    who = hub.whoami()
    assert who.member is not None and who.member.name == "operator" and who.auth == "claimed"


def test_key_makes_a_call_repeatable(hub: Hub) -> None:
    first = hub.message.send(to="kimi", body="hello", key="once")
    assert hub.message.send(to="kimi", body="hello", key="once").id == first.id
    with pytest.raises(ConflictError):
        hub.message.send(to="kimi", body="other", key="once")
    assert len(hub.message.list()) == 1


def test_killed_program_is_started_again(hub: Hub) -> None:
    hub.task.create("Before")
    first = child_of(hub)
    os.kill(first, signal.SIGKILL)
    assert hub.task.create("After").title == "After"
    assert child_of(hub) != first
    assert sorted(task.title for task in hub.task.list()) == ["After", "Before"]


def test_call_survives_a_program_that_dies_under_it(hub: Hub) -> None:
    hub.whoami()
    # Stopped, the program has the request and can't answer it.
    child = child_of(hub)
    os.kill(child, signal.SIGSTOP)
    sent: list[types.SentView] = []
    thread = threading.Thread(target=lambda: sent.append(hub.message.send(to="kimi", body="hello")))
    thread.start()
    while not hub._link.connection()._waiting:
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    thread.join(60)
    assert len(sent) == 1 and len(hub.message.list()) == 1


def test_closed_hub_is_closed(hub: Hub) -> None:
    derived = hub.as_agent("kimi")
    child = hub._link.connection()._process
    hub.close()
    assert child.poll() == 0
    for one in (hub, derived):
        with pytest.raises(ClosedError):
            one.whoami()


def test_waiting_call_ends_when_the_hub_is_closed(hub: Hub) -> None:
    errors: list[BaseException] = []

    def wait() -> None:
        try:
            hub.wait(600, agent="kimi")
        except ClosedError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while hub._link._connection is None or not hub._link._connection._waiting:
        time.sleep(0.01)
    hub.close()
    thread.join(60)
    assert len(errors) == 1


def test_wait_ends_with_mail(hub: Hub) -> None:
    assert hub.wait(0, agent="kimi") is False
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(hub.wait(600, agent="kimi")))
    thread.start()
    hub.message.send(to="kimi", body="hello")
    thread.join(60)
    assert found == [True]
    seq = hub.whoami().reply.seq
    assert hub.wait_for_log(seq - 1, 0) is True and hub.wait_for_log(seq, 0) is False


def test_events_come_in_order_from_the_moment_of_asking(hub: Hub) -> None:
    events = hub.events(kind="task")
    ids = [hub.task.create(f"Task {number}").id for number in range(3)]
    hub.status.set(text="not a task")
    ids.append(hub.task.create("Last").id)
    assert [next(events).events[0].entity for _ in ids] == ids
    again = hub.events(after=0)
    assert next(again).seq == 1


def test_hub_serves_many_threads(hub: Hub) -> None:
    ids: list[str] = []
    lock = threading.Lock()

    def work(number: int) -> None:
        for count in range(10):
            sent = hub.message.send(to="kimi", body=f"{number}: {count}")
            assert hub.message.read(sent.id).body == f"{number}: {count}"
            with lock:
                ids.append(sent.id)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 80 and len(hub.message.list(limit=200)) == 80


def test_fork_has_a_program_of_its_own(hub: Hub) -> None:
    hub.whoami()
    child = os.fork()
    if child == 0:
        try:
            hub.task.create("From the child")
            hub.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert [task.title for task in hub.task.list()] == ["From the child"]


def test_locked_store_is_an_error_in_one_sentence(hub: Hub, directory: Path) -> None:
    hub.whoami()
    with open(directory / ".interagent" / "state" / "gate", "rb") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        assert hub.task.list().items == []
        with pytest.raises(UnavailableError) as locked:
            hub.status.set(text="busy")
    assert locked.value.code == "store_busy" and "\n" not in locked.value.message
    assert hub.status.set(text="busy").name == "operator"
