"""A hub: every operation of a team, as methods.

>>> from interagent import Hub
>>> with Hub.open() as hub:                       # doctest: +SKIP
...     hub.message.send(to="kimi", body="The schema is ready.")
"""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any, AsyncIterator, Dict, Iterator, Optional, Sequence, Type, TypeVar

from . import types
from ._ask import WRITE, Effect, lost, prepared, read
from ._connection import Connection, Document, Lost
from ._link import Link, StrPath, init
from ._shape import Shape
from .async_operations import AsyncOperations
from .operations import Operations
from .types import EntryView

S = TypeVar("S", bound=Shape)
H = TypeVar("H", bound="_Base")

_ROUND_SECONDS = 3600.0
"""How long one request waits. A wait without an end is a row of them."""


class _Base:
    """What both kinds of hubs have: a program, and the agent they act for."""

    def __init__(self, link: Link, agent: Optional[str]) -> None:
        self._link = link
        self._acts_as = agent

    @property
    def acts_as(self) -> Optional[str]:
        """The agent that calls act for; `None` for the caller itself."""
        return self._acts_as

    def as_agent(self: H, name: Optional[str]) -> H:
        """The same hub, acting for an agent. Only the operator may act for others, and the log says so."""
        return type(self)(self._link, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{'' if self._acts_as is None else f' as {self._acts_as}'}>"


class Hub(_Base, Operations):
    """A hub of a team, for scripts, tests and notebooks.

    Operations are grouped as in the catalog: `hub.task.create(...)`, `hub.message.send(...)`, `hub.whoami()`. Any thread
    may call. The program that serves the hub is started by the first call and ends with the interpreter, or at the end
    of a `with` block.
    """

    def __init__(self, link: Link, agent: Optional[str] = None) -> None:
        _Base.__init__(self, link, agent)
        Operations.__init__(self, self._call)

    @classmethod
    def open(
        cls, path: Optional[StrPath] = None, agent: Optional[str] = None, *, program: Optional[StrPath] = None
    ) -> Hub:
        """The hub at a path, or the one that `interagent` finds from the current directory.

        Args:
            path: The hub, or the project that holds it.
            agent: An agent to act for. A script of an agent is that agent anyway; any other is the operator.
            program: The program to run, instead of the one that was installed with this package.
        """
        return cls(Link(path, program), agent)

    @classmethod
    def create(
        cls,
        path: Optional[StrPath] = None,
        *,
        project: Optional[str] = None,
        principal: Optional[str] = None,
        mode: Optional[str] = None,
        formation: Optional[str] = None,
        agents: Sequence[str] = (),
        program: Optional[StrPath] = None,
    ) -> Hub:
        """Creates the hub of a project, as `interagent init` does, and opens it.

        Args:
            path: Where the project is; the current directory when left out.
            project: The project's name.
            principal: Who decides and approves.
            mode: hierarchical, peer or review.
            formation: duo, peers or captain.
            agents: Names, or `NAME:PROFILE`.
            program: The program to run.
        """
        init(
            path,
            project=project,
            principal=principal,
            mode=mode,
            formation=formation,
            agents=agents,
            program=program,
        )
        return cls.open(path, program=program)

    def call(self, op: str, params: Optional[Dict[str, Any]] = None) -> Document:
        """Calls an operation by its name, and answers with the plain document.

        For operations that a newer program has and this package does not know.
        """
        return self._document(op, params or {}, WRITE)

    def wait(self, timeout: Optional[float] = None, *, agent: Optional[str] = None) -> bool:
        """Sleeps until there is new mail; answers whether there is.

        Args:
            timeout: Seconds; for ever when left out.
            agent: Whose mail; the caller's when left out.
        """
        return self._wait({"agent": agent}, timeout)

    def wait_for_log(self, after: int, timeout: Optional[float] = None) -> bool:
        """Sleeps until the log has an entry after a place; answers whether it has."""
        return self._wait({"after": after}, timeout)

    def events(
        self,
        after: Optional[int] = None,
        *,
        kind: Optional[str] = None,
        by: Optional[str] = None,
        entity: Optional[str] = None,
    ) -> Iterator[EntryView]:
        """Entries of the log as they are written, without end and without polling.

        Args:
            after: Begin after this place of the log, the `seq` of an entry; from now on when left out.
            kind: Only with events of this kind, such as `task` or `task.moved`, or of this operation.
            by: Only by this member, or in its name.
            entity: Only about this entity.
        """
        wanted: Document = {"kind": kind, "by": by, "entity": entity}
        if after is None:
            # The place is noted now, not at the first `next()`.
            after = int(self._waited("api.events", {**wanted, "timeout_s": 0})["answer"]["reached"])
        return self._follow(wanted, after)

    def _follow(self, wanted: Document, after: int) -> Iterator[EntryView]:
        while True:
            answer = self._waited("api.events", {**wanted, "after": after, "timeout_s": _ROUND_SECONDS})["answer"]
            yield from (EntryView.from_json(item) for item in answer["items"])
            after = int(answer["reached"])

    def close(self) -> None:
        """Ends the program. Hubs that were derived with `as_agent` end with it."""
        self._link.close()

    def __enter__(self) -> Hub:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def _call(self, op: str, params: Dict[str, Any], shape: Type[S], effect: Effect) -> S:
        return read(self._document(op, params, effect), shape)

    def _document(self, op: str, params: Dict[str, Any], effect: Effect) -> Document:
        sent = prepared(params, effect)
        for is_last in (effect is WRITE, True):
            try:
                return self._link.connection().send(op, sent, self._acts_as).result()
            except Lost:
                if is_last:
                    break
        raise lost(op) from None

    def _waited(self, op: str, params: Document) -> Document:
        """Like a call, but given up when the caller is interrupted."""
        sent = {name: value for name, value in params.items() if value is not None}
        for _ in range(2):
            connection: Optional[Connection] = None
            try:
                connection = self._link.connection()
                future = connection.send(op, sent, self._acts_as, waits=True)
                try:
                    return future.result()
                finally:
                    connection.cancel(future)
            except Lost:
                continue
        raise lost(op) from None

    def _wait(self, params: Document, timeout: Optional[float]) -> bool:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _ROUND_SECONDS if deadline is None else max(0.0, deadline - time.monotonic())
            document = self._waited("api.wait", {**params, "timeout_s": min(left, _ROUND_SECONDS)})
            if document["answer"]["ready"] or (deadline is not None and left <= _ROUND_SECONDS):
                return bool(document["answer"]["ready"])


class AsyncHub(_Base, AsyncOperations):
    """The same for `asyncio`: every operation is a coroutine, and events are an asynchronous iterator."""

    def __init__(self, link: Link, agent: Optional[str] = None) -> None:
        _Base.__init__(self, link, agent)
        AsyncOperations.__init__(self, self._call)

    @classmethod
    def open(
        cls, path: Optional[StrPath] = None, agent: Optional[str] = None, *, program: Optional[StrPath] = None
    ) -> AsyncHub:
        """The hub at a path, or the one that `interagent` finds from the current directory. See `Hub.open`."""
        return cls(Link(path, program), agent)

    async def call(self, op: str, params: Optional[Dict[str, Any]] = None) -> Document:
        """Calls an operation by its name, and answers with the plain document. See `Hub.call`."""
        return await self._document(op, params or {}, WRITE)

    async def wait(self, timeout: Optional[float] = None, *, agent: Optional[str] = None) -> bool:
        """Sleeps until there is new mail; answers whether there is. See `Hub.wait`."""
        return await self._wait({"agent": agent}, timeout)

    async def wait_for_log(self, after: int, timeout: Optional[float] = None) -> bool:
        """Sleeps until the log has an entry after a place; answers whether it has."""
        return await self._wait({"after": after}, timeout)

    async def events(
        self,
        after: Optional[int] = None,
        *,
        kind: Optional[str] = None,
        by: Optional[str] = None,
        entity: Optional[str] = None,
    ) -> AsyncIterator[EntryView]:
        """Entries of the log as they are written, without end and without polling. See `Hub.events`.

        Without `after` it begins with what is written after the first step.
        """
        wanted: Document = {"kind": kind, "by": by, "entity": entity}
        place = after
        if place is None:
            place = int((await self._waited("api.events", {**wanted, "timeout_s": 0}))["answer"]["reached"])
        while True:
            params = {**wanted, "after": place, "timeout_s": _ROUND_SECONDS}
            answer = (await self._waited("api.events", params))["answer"]
            for item in answer["items"]:
                yield EntryView.from_json(item)
            place = int(answer["reached"])

    async def close(self) -> None:
        """Ends the program."""
        await asyncio.get_running_loop().run_in_executor(None, self._link.close)

    async def __aenter__(self) -> AsyncHub:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def _connection(self) -> Connection:
        if self._link.is_ready:
            return self._link.connection()
        return await asyncio.get_running_loop().run_in_executor(None, self._link.connection)

    async def _call(self, op: str, params: Dict[str, Any], shape: Type[S], effect: Effect) -> S:
        return read(await self._document(op, params, effect), shape)

    async def _document(self, op: str, params: Dict[str, Any], effect: Effect) -> Document:
        sent = prepared(params, effect)
        for is_last in (effect is WRITE, True):
            try:
                connection = await self._connection()
                return await asyncio.wrap_future(connection.send(op, sent, self._acts_as))
            except Lost:
                if is_last:
                    break
        raise lost(op) from None

    async def _waited(self, op: str, params: Document) -> Document:
        sent = {name: value for name, value in params.items() if value is not None}
        for _ in range(2):
            try:
                connection = await self._connection()
                future = connection.send(op, sent, self._acts_as, waits=True)
                try:
                    return await asyncio.wrap_future(future)
                finally:
                    connection.cancel(future)
            except Lost:
                continue
        raise lost(op) from None

    async def _wait(self, params: Document, timeout: Optional[float]) -> bool:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _ROUND_SECONDS if deadline is None else max(0.0, deadline - time.monotonic())
            document = await self._waited("api.wait", {**params, "timeout_s": min(left, _ROUND_SECONDS)})
            if document["answer"]["ready"] or (deadline is not None and left <= _ROUND_SECONDS):
                return bool(document["answer"]["ready"])


__all__ = ["AsyncHub", "Hub", "types"]

