"""InterAgent: coding agents and their operator as a team, from Python.

`Session`, `Task`, `Message` and `MessageBus` are the API of the package interagent-framework, unchanged. `Hub` and
`AsyncHub` have every operation of the hub, typed.
"""

from __future__ import annotations

from . import types
from ._errors import (
    ClosedError,
    ConflictError,
    ConnectionLostError,
    InterAgentError,
    NotFoundError,
    ProgramNotFoundError,
    ProgramVersionError,
    RefusedError,
    UnavailableError,
    UsageError,
)
from ._find import find_program
from .cli import main
from .hub import AsyncHub, Hub
from .messaging import Message, MessageBus
from .session import Session
from .task import Task, TaskStatus

__version__ = "0.1.0"

__all__ = [
    "AsyncHub",
    "ClosedError",
    "ConflictError",
    "ConnectionLostError",
    "Hub",
    "InterAgentError",
    "Message",
    "MessageBus",
    "NotFoundError",
    "ProgramNotFoundError",
    "ProgramVersionError",
    "RefusedError",
    "Session",
    "Task",
    "TaskStatus",
    "UnavailableError",
    "UsageError",
    "find_program",
    "main",
    "types",
]
