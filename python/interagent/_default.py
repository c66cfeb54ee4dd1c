"""The hub of the documented API: the one that `interagent` finds from the current directory."""

from __future__ import annotations

import os
import secrets
import threading
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from ._errors import NotFoundError
from .hub import Hub

_KEPT = 8
"""Hubs that stay open for scripts that change their directory."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

_Place = Tuple[int, str, Optional[str], Optional[str]]
_hubs: Dict[_Place, Hub] = {}
_lock = threading.Lock()


def default_hub() -> Hub:
    """The hub for the current directory and environment."""
    environment = os.environ.get
    place = (os.getpid(), os.getcwd(), environment("INTERAGENT_HUB"), environment("INTERAGENT_AGENT"))
    with _lock:
        hub = _hubs.pop(place, None) or Hub.open()
        _hubs[place] = hub
        while len(_hubs) > _KEPT:
            _hubs.pop(next(iter(_hubs))).close()
        return hub


def acting(name: Optional[str]) -> Hub:
    """The same, acting for an agent: the caller itself where none is named."""
    hub = default_hub()
    return hub if name is None or name in ("operator", "human") else hub.as_agent(name)


def new_id(noun: str) -> str:
    """A provisional id. The hub keeps it as an alias of the final one."""
    return f"new-{noun}-" + "".join(secrets.choice(_ALPHABET) for _ in range(12))


def found(ask: Callable[[], Any]) -> Any:
    """The answer, or `None` if there is no such thing."""
    try:
        return ask()
    except NotFoundError:
        return None


def pages(ask: Callable[[Optional[str]], Any]) -> Iterator[Any]:
    """All rows of a list, page by page."""
    after: Optional[str] = None
    while True:
        page = ask(after)
        yield from page.items
        after = page.next
        if after is None:
            return


def _forget_after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    _hubs.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
