"""How operations are asked, whatever carries them."""

from __future__ import annotations

import enum
import uuid
from datetime import datetime
from typing import Any, Awaitable, Dict, List, Mapping, Optional, Protocol, Sequence, Type, TypeVar, Union

from ._errors import ConnectionLostError
from ._shape import Reply, Shape, format_time

S = TypeVar("S", bound=Shape)


class Effect(enum.Enum):
    """The effect of repeating a call."""

    READ = "read"
    """It changes nothing."""
    IDEMPOTENT = "idempotent"
    """The same again has no further effect."""
    KEYED = "keyed"
    """The same again has no further effect with the same key."""
    WRITE = "write"
    """It does it again."""


READ, IDEMPOTENT, KEYED, WRITE = Effect.READ, Effect.IDEMPOTENT, Effect.KEYED, Effect.WRITE


class Ask(Protocol):
    """Calls an operation and waits for its answer."""

    def __call__(self, op: str, params: Dict[str, Any], shape: Type[S], effect: Effect) -> S: ...


class AsyncAsk(Protocol):
    """Calls an operation; its answer is awaited."""

    def __call__(self, op: str, params: Dict[str, Any], shape: Type[S], effect: Effect) -> Awaitable[S]: ...


def texts(given: Union[str, Sequence[str]]) -> List[str]:
    """A list of texts. One text is a list of one."""
    return [given] if isinstance(given, str) else list(given)


def moment(given: Union[datetime, str, None]) -> Optional[str]:
    """A moment as the program takes it."""
    return format_time(given) if isinstance(given, datetime) else given


def prepared(params: Mapping[str, Any], effect: Effect) -> Dict[str, Any]:
    """The parameters to send. A call without a key gets one, so that it can be repeated after a lost connection."""
    sent = {name: value for name, value in params.items() if value is not None}
    if effect is KEYED and "key" not in sent:
        sent["key"] = str(uuid.uuid4())
    return sent


def read(document: Mapping[str, Any], shape: Type[S]) -> S:
    """The answer in a document of the program."""
    notes = tuple(document.get("notes", ()))
    return shape.from_json(document["answer"], Reply(document["seq"], document.get("unchanged"), notes))


def lost(op: str) -> ConnectionLostError:
    """The program ended twice, or once during a call that must not be repeated."""
    message = f"the program ended before it answered {op}; whether that was done is unknown"
    return ConnectionLostError(message, hint="interagent doctor")
