"""One child process `interagent api --stdio`, shared by all threads that use a hub.

A thread of its own reads the answers and hands each to the call that waits for it. The child ends with the interpreter:
its standard input is closed, at the latest by the kernel.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import subprocess
import tempfile
import threading
import weakref
from concurrent.futures import Future
from typing import IO, Any, Dict, List, Mapping, Optional, cast

from ._errors import ClosedError, InterAgentError, ProgramNotFoundError, ProgramVersionError, UsageError, refusal

_API = 1
"""The version of the protocol that this package speaks."""

_END_SECONDS = 10.0
"""How long the program may take to write its last files after its input was closed."""

Document = Dict[str, Any]


class Lost(Exception):
    """The program ended before it answered."""


class Connection:
    """A running program and the calls it has not answered yet."""

    def __init__(self, program: str, arguments: List[str], cwd: Optional[str]) -> None:
        self._lock = threading.Lock()
        # Another lock: a write that blocks must not keep answers from being read, which is what unblocks it.
        self._write_lock = threading.Lock()
        self._waiting: Dict[int, Future[Document]] = {}
        self._last_id = 0
        self._lost = False
        self._closed = False
        self._pid = os.getpid()
        # Errors before the first line. A file needs no reader, a pipe does.
        self._complaint: IO[bytes] = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [program, *arguments, "api", "--stdio"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaint,
                cwd=cwd,
                bufsize=0,
                # Ctrl-C in a terminal or notebook interrupts the caller, not the program it talks to.
                start_new_session=True,
            )
        except OSError as error:
            self._complaint.close()
            message = f"the program {program} can't be started: {error.strerror or error}"
            raise ProgramNotFoundError(message) from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to = self._process.stdin
        self._from = io.BufferedReader(cast(io.RawIOBase, self._process.stdout), 64 * 1024)
        try:
            self._shake_hands(program)
        except InterAgentError:
            self._kill()
            raise
        _LIVE.add(self)
        # The thread knows the streams and the calls, but not this object, so that an unused connection is collected.
        threading.Thread(
            target=_read, args=(weakref.ref(self), self._from), name="interagent", daemon=True
        ).start()

    def _shake_hands(self, program: str) -> None:
        """Reads the first line and checks the version of the protocol."""
        line = self._from.readline(4096)
        try:
            hello = json.loads(line)
            spoken = hello["api"]
        except (ValueError, TypeError, KeyError):
            said = self._last_words()
            raise ProgramVersionError(
                f"the program {program} does not speak the API of this package" + (f": {said}" if said else ""),
                hint="pip install --force-reinstall interagent",
            ) from None
        if spoken != _API:
            raise ProgramVersionError(
                f"the program {program} is version {hello.get('interagent')} and speaks API {spoken}, not {_API}",
                hint="install the package and the program in the same version",
            )

    def _last_words(self) -> str:
        self._complaint.seek(0)
        text = self._complaint.read(2000).decode("utf-8", "replace").strip()
        return text.splitlines()[0].replace("error: ", "", 1) if text else ""

    @property
    def is_usable(self) -> bool:
        """Whether a call can be sent: the program runs, and this process started it."""
        return not (self._lost or self._closed) and self._pid == os.getpid()

    def send(
        self, op: str, params: Mapping[str, Any], agent: Optional[str], *, waits: bool = False
    ) -> Future[Document]:
        """Sends one request. The future has its answer, or the refusal, or `Lost`."""
        future: Future[Document] = Future()
        with self._write_lock:
            with self._lock:
                if self._closed:
                    raise ClosedError("the hub was closed")
                if self._lost:
                    raise Lost
                self._last_id += 1
                number = self._last_id
            request: Document = {"id": number, "op": op, "params": params}
            if agent is not None:
                request["agent"] = agent
            line = _line(request)
            with self._lock:
                if self._lost:
                    raise Lost
                self._waiting[number] = future
            try:
                _write(self._to.fileno(), line)
            except (OSError, ValueError):
                with self._lock:
                    self._waiting.pop(number, None)
                    # The reader may not have noticed yet, and the next call must not come here again.
                    self._lost = True
                raise Lost from None
        if waits:
            setattr(future, "_interagent_id", number)
        return future

    def cancel(self, future: Future[Document]) -> None:
        """Gives up a wait."""
        number = getattr(future, "_interagent_id", None)
        if number is None or number not in self._waiting or not self.is_usable:
            return
        try:
            self.send("api.cancel", {"request": number}, None)
        except (Lost, InterAgentError):
            pass

    def _answer(self, line: bytes) -> None:
        document = json.loads(line)
        number = document.get("id")
        with self._lock:
            if number is None:
                # The program could not parse a line. It does not say which, so every call fails rather than hang.
                answered, self._waiting = list(self._waiting.values()), {}
            else:
                future = self._waiting.pop(number, None)
                answered = [] if future is None else [future]
        error = document.get("error")
        for future in answered:
            if not future.set_running_or_notify_cancel():
                continue
            if error is not None:
                future.set_exception(refusal(error))
            else:
                future.set_result(document)

    def _fail(self) -> None:
        """Fails every open call: the program is gone."""
        with self._lock:
            self._lost = True
            waiting, self._waiting = list(self._waiting.values()), {}
            closed = self._closed
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(ClosedError("the hub was closed") if closed else Lost())

    def close(self) -> None:
        """Closes the input of the program and waits until it has answered its last calls and ended."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._pid != os.getpid():
            return
        _LIVE.discard(self)
        try:
            self._to.close()
        except OSError:
            pass
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
        self._fail()
        self._complaint.close()

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._to.close()
        self._from.close()

    def __del__(self) -> None:
        if hasattr(self, "_from") and not self._closed and self._pid == os.getpid():
            self.close()

    def _forget(self) -> None:
        """In a child of a fork: lets go of the pipes, so that the program sees its end when the parent leaves."""
        for stream in (self._process.stdin, self._process.stdout):
            try:
                if stream is not None:
                    os.close(stream.fileno())
            except (OSError, ValueError):
                pass


_LIVE: weakref.WeakSet[Connection] = weakref.WeakSet()


def _forget_all() -> None:
    for connection in list(_LIVE):
        connection._forget()
    _LIVE.clear()


@atexit.register
def _close_all() -> None:
    for connection in list(_LIVE):
        connection.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _line(request: Document) -> bytes:
    """Encodes a request as one line of JSON."""
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        raise UsageError("a text holds half of a character (a lone surrogate)", code="bad_text") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"a parameter can't be written as JSON: {error}", code="bad_request") from None


def _write(descriptor: int, line: bytes) -> None:
    """Writes all of it."""
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _read(owner: weakref.ref[Connection], stream: io.BufferedReader) -> None:
    """Hands answers over until the program is gone."""
    while True:
        try:
            line = stream.readline()
        except (OSError, ValueError):
            line = b""
        connection = owner()
        if connection is None:
            return
        if not line.endswith(b"\n"):
            connection._fail()
            return
        connection._answer(line)
        del connection
