"""The exceptions of this package: each has a code, a message and often a hint."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class InterAgentError(Exception):
    """The base of everything this package raises.

    `code` is stable and meant for programs, `message` is the reason in one sentence, and `hint` names a way out.
    """

    code: str = "error"

    def __init__(self, message: str, *, code: Optional[str] = None, hint: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class RefusedError(InterAgentError):
    """A rule of the team refuses the call. Repeating it changes nothing."""

    code = "refused"


class UsageError(InterAgentError, ValueError):
    """The call itself is wrong: an unknown parameter, a bad value, a limit."""

    code = "usage"


class NotFoundError(InterAgentError, LookupError):
    """The call names something that does not exist, or there is no hub here."""

    code = "not_found"


class ConflictError(InterAgentError):
    """Another call was first, or the idempotency key belongs to another request."""

    code = "conflict"


class UnavailableError(InterAgentError):
    """The store can't be used now. Repeating the call later may work."""

    code = "unavailable"


class ProgramNotFoundError(UnavailableError):
    """The program `interagent` is not installed where this package looks for it."""

    code = "program_not_found"


class ProgramVersionError(UnavailableError):
    """The program `interagent` that was found does not speak this package's API."""

    code = "program_version"


class ConnectionLostError(UnavailableError):
    """The program ended before it answered, so the outcome of the call is unknown."""

    code = "connection_lost"


class ClosedError(InterAgentError):
    """The hub was closed."""

    code = "closed"


_KINDS = {
    "refused": RefusedError,
    "usage": UsageError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "unavailable": UnavailableError,
}


def refusal(error: Mapping[str, Any]) -> InterAgentError:
    """The exception for a refusal of the hub."""
    kind = _KINDS.get(str(error.get("kind")), InterAgentError)
    hint = error.get("hint")
    message = str(error.get("sentence", "the hub refused the call"))
    return kind(message, code=str(error.get("code", kind.code)), hint=None if hint is None else str(hint))
