"""The program behind a hub: started at the first call, and again when it was lost."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from typing import Any, Dict, List, Optional, Sequence, Union

from ._connection import Connection
from ._errors import ClosedError, InterAgentError, ProgramNotFoundError, ProgramVersionError, refusal
from ._find import find_program

StrPath = Union[str, "os.PathLike[str]"]

_KINDS = {1: "refused", 2: "usage", 3: "not_found", 4: "conflict", 5: "unavailable"}


class Link:
    """Which program serves which hub. All hubs that were derived from one share it."""

    def __init__(self, path: Optional[StrPath], program: Optional[StrPath]) -> None:
        self._program = None if program is None else os.fspath(program)
        self._arguments = [] if path is None else ["--hub", os.path.abspath(os.fspath(path))]
        try:
            self._cwd: Optional[str] = os.getcwd()
        except OSError:
            self._cwd = None
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._connection: Optional[Connection] = None
        self._closed = False

    @property
    def is_ready(self) -> bool:
        """Whether a call needs no new process."""
        connection = self._connection
        return connection is not None and connection.is_usable

    def connection(self) -> Connection:
        """The running program; another one is started in the place of one that was lost."""
        if self._pid != os.getpid():
            # A fork: the lock may have been held, and the connection is the parent's.
            self._lock, self._pid = threading.Lock(), os.getpid()
        with self._lock:
            if self._closed:
                raise ClosedError("the hub was closed")
            if self._connection is None or not self._connection.is_usable:
                program = self._program or find_program()
                self._connection = Connection(program, self._arguments, self._cwd)
            return self._connection

    def close(self) -> None:
        """Ends the program."""
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def run(self, arguments: List[str]) -> Dict[str, Any]:
        """Runs one command of the program. Most calls are operations and need none."""
        program = self._program or find_program()
        command = [program, *self._arguments, "--json", *arguments]
        try:
            done = subprocess.run(command, cwd=self._cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise ProgramNotFoundError(f"the program {program} can't be started: {error.strerror or error}") from None
        try:
            document = json.loads(done.stdout)
            error_document = document.get("error")
        except (ValueError, AttributeError):
            message = f"the program {program} answered `{arguments[0]}` with something that is no answer"
            raise ProgramVersionError(message, hint="pip install --force-reinstall interagent") from None
        if error_document is None:
            return dict(document)
        raise _refused(error_document)


def init(
    path: Optional[StrPath] = None,
    *,
    project: Optional[str] = None,
    principal: Optional[str] = None,
    mode: Optional[str] = None,
    formation: Optional[str] = None,
    agents: Sequence[str] = (),
    program: Optional[StrPath] = None,
    force: bool = False,
) -> None:
    """Creates the hub of a project. With `force`, applies the options to an existing hub."""
    options = {"project": project, "principal": principal, "mode": mode, "formation": formation}
    arguments = ["init", *(f"--{name}={value}" for name, value in options.items() if value is not None)]
    if agents:
        arguments.append(f"--agents={','.join(agents)}")
    if force:
        arguments.append("--force")
    Link(path, program).run(arguments)


def _refused(error: Dict[str, Any]) -> InterAgentError:
    """The refusal of a command, which has causes and several hints."""
    sentence = ": ".join([str(error.get("sentence")), *error.get("causes", [])])
    hints = "; ".join(error.get("hints", []))
    kind = _KINDS.get(int(error.get("exit_code", 5)), "unavailable")
    return refusal({"kind": kind, "code": error.get("code", kind), "sentence": sentence, "hint": hints or None})
