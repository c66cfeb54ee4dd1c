"""What others wrote for this API runs unmodified: the documented block, the original's example files, and our page."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

from interagent import Hub, MessageBus, Task

ROOT = Path(__file__).parents[2]

DOCUMENTED = """
from interagent import Session, Task, Message

# Initialize session
session = Session.create("My Project", principal="claude")
session.save()

# Create task
task = Task.create(
    title="Implement API",
    assignee="kimi",
    priority="high",
)
task.save()

# Send message
msg = Message.create(
    sender="claude",
    recipient="kimi",
    content="Task assigned!",
)
msg.save()
"""


def examples() -> Path:
    """Where the example files of interagent-framework are."""
    named = os.environ.get("INTERAGENT_EXAMPLES")
    if not named:
        pytest.skip("INTERAGENT_EXAMPLES names no directory; `cargo xtask python` fetches the files")
    return Path(named)


def test_documented_block_runs() -> None:
    subprocess.run([sys.executable, "-c", DOCUMENTED], check=True)
    assert [(task.title, task.assignee, task.priority) for task in Task.list_all()] == [("Implement API", "kimi", "high")]
    assert "Task assigned!" in [mail.content for mail in MessageBus.get_inbox("kimi")]


def test_basic_workflow_of_the_original_runs() -> None:
    file = examples() / "basic_workflow.py"
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Workflow Complete!" in done.stdout and "Active tasks: 2" in done.stdout
    assert {task.title: task.status for task in Task.list_all()} == {
        "Design API Architecture": "assigned",
        "Implement User Service": "completed",
        "Write Integration Tests": "assigned",
    }


def test_parallel_workflow_of_the_original_runs() -> None:
    file = examples() / "parallel_workflow.py"
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Total tasks: 4" in done.stdout and "Completed: 4" in done.stdout


def test_shell_session_of_the_original_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    # It was packed with the line ends of Windows, which no bash takes.
    text = (examples() / "cli_session.sh").read_bytes().replace(b"\r\n", b"\n").decode()
    programs = os.path.dirname(sys.executable)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-s"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with Hub.open() as hub:
        assert "Set up database" in [task.title for task in hub.task.list()]


def test_page_about_python_is_true() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert failed == 0 and tried > 30
