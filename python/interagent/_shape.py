"""Results as typed objects: the base of everything in `interagent.types`."""

from __future__ import annotations

import dataclasses
import re
import sys
from datetime import datetime, timezone
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Tuple,
    Type,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

S = TypeVar("S", bound="Shape")
Decode = Callable[[Any], Any]


@dataclasses.dataclass(frozen=True)
class Reply:
    """Facts about an answer."""

    seq: int = 0
    """Entries in the log when this was answered."""
    unchanged: Optional[str] = None
    """Why the call changed nothing; `None` if it did, or only read."""
    notes: Tuple[str, ...] = ()
    """Remarks for the caller, such as how soon a message is seen."""


_NO_REPLY = Reply()
_FIELDS: Dict[type, List[Tuple[str, str, Decode, Callable[[], Any]]]] = {}


class Shape:
    """A result. Its fields are attributes; fields that a newer program adds are left out."""

    @property
    def reply(self) -> Reply:
        """Facts about the answer, if this is a whole answer."""
        return cast(Reply, self.__dict__.get("_reply", _NO_REPLY))

    @classmethod
    def from_json(cls: Type[S], data: Mapping[str, Any], reply: Reply = _NO_REPLY) -> S:
        """Reads the answer of the program."""
        shape = cls.__new__(cls)
        values = shape.__dict__
        for name, key, decode, absent in _FIELDS.get(cls) or _fields(cls):
            value = data.get(key)
            values[name] = absent() if value is None else decode(value)
        values["_reply"] = reply
        return shape

    def to_json(self) -> Dict[str, Any]:
        """The same as plain dictionaries, lists and strings."""
        fields = dataclasses.fields(cast(Any, self))
        return {_json_name(field.name): _plain(getattr(self, field.name)) for field in fields}


def _json_name(name: str) -> str:
    """Words of Python have an underscore behind them here."""
    return name[:-1] if name.endswith("_") else name


def _plain(value: Any) -> Any:
    if isinstance(value, Shape):
        return value.to_json()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, datetime):
        return format_time(value)
    return value


def _fields(cls: type) -> List[Tuple[str, str, Decode, Callable[[], Any]]]:
    """How each field is read. A list or flag that the program leaves out is empty or false."""
    hints = get_type_hints(cls, vars(sys.modules[cls.__module__]))
    empty: Dict[Any, Callable[[], Any]] = {list: list, dict: dict, bool: bool}
    names = [field.name for field in dataclasses.fields(cast(Any, cls))]
    found = [
        (name, _json_name(name), _decoder(hint), empty.get(get_origin(hint) or hint, _nothing))
        for name, hint in ((name, hints[name]) for name in names)
    ]
    _FIELDS[cls] = found
    return found


def _nothing() -> None:
    return None


def _same(value: Any) -> Any:
    return value


def _decoder(hint: Any) -> Decode:
    """How a value of a type is read."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Union:
        rest = [argument for argument in arguments if argument is not type(None)]
        return _decoder(rest[0]) if len(rest) == 1 else _same
    if origin is list:
        item = _decoder(arguments[0])
        return _same if item is _same else lambda values: [item(value) for value in values]
    if origin is dict:
        item = _decoder(arguments[1])
        return _same if item is _same else lambda values: {key: item(value) for key, value in values.items()}
    if origin is tuple:
        return tuple
    if hint is datetime:
        return parse_time
    if isinstance(hint, type) and issubclass(hint, Shape):
        return hint.from_json
    return _same


_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")


def parse_time(text: str) -> datetime:
    """A moment in UTC. One that no calendar holds is the earliest or latest there is."""
    found = _TIME.fullmatch(text)
    if found is None:
        edge = datetime.min if text.startswith("-") else datetime.max
        return edge.replace(tzinfo=timezone.utc)
    moment = datetime.fromisoformat(found.group(1))
    micros = int((found.group(2) or "0").ljust(6, "0")[:6])
    return moment.replace(microsecond=micros, tzinfo=timezone.utc)


def format_time(moment: datetime) -> str:
    """A moment as the program takes it. A moment without a zone is local time, as everywhere in Python."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def encode(value: Any) -> Any:
    """A parameter as the program takes it."""
    return _plain(value)
