"""A project with a hub of its own, and nothing of the machine around it."""

from __future__ import annotations

import faulthandler
import os
from pathlib import Path
from typing import Iterator

import pytest

from interagent import Hub

PATIENCE_SECONDS = 240
"""A test that hangs ends the run, and shows where each thread is."""

KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "PYTHONPATH", "INTERAGENT_PROGRAM", "INTERAGENT_EXAMPLES")


def pytest_configure() -> None:
    faulthandler.dump_traceback_later(PATIENCE_SECONDS, exit=True)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty project, in which the test runs, and an empty home."""
    for name in list(os.environ):
        if name not in KEPT:
            monkeypatch.delenv(name)
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    # The tests themselves may have been started by an agent, which then would be the caller.
    monkeypatch.setenv("INTERAGENT_ANCESTORS_END", str(os.getpid()))
    monkeypatch.chdir(project)
    yield project


@pytest.fixture
def hub(directory: Path) -> Iterator[Hub]:
    """The hub of a new project with claude, who decides, and kimi."""
    with Hub.create(project="Test") as hub:
        yield hub
