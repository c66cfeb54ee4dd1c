"""Messages, as the documented API has them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict, List, Optional, cast

from . import types
from ._default import acting, default_hub, found, new_id, pages
from ._shape import format_time

MESSAGE_TYPES = ("message", "delegation", "review", "discussion")

_INTENTS = {"review": "review_request"}
_TYPES = {"review_request": "review", "delegation": "delegation", "discussion": "discussion"}
_READ = ("acknowledged", "done")


class Message:
    """A message. `save()` sends it; what was sent never changes but for being read."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self._data = data
        self._is_sent = False

    @property
    def id(self) -> str:
        """The message's id. The hub gives another one when it is sent, and knows the earlier one as an alias."""
        return str(self._data.get("id", "unknown"))

    @property
    def sender(self) -> str:
        """Who speaks."""
        return str(self._data.get("from", "unknown"))

    @property
    def recipient(self) -> str:
        """To whom."""
        return str(self._data.get("to", "unknown"))

    @property
    def subject(self) -> str:
        """One line."""
        return str(self._data.get("subject", ""))

    @property
    def content(self) -> str:
        """The text."""
        return str(self._data.get("content", ""))

    @property
    def message_type(self) -> str:
        """message, delegation, review or discussion."""
        return str(self._data.get("type", "message"))

    @property
    def timestamp(self) -> str:
        """When it was sent."""
        return str(self._data.get("timestamp", ""))

    @property
    def is_read(self) -> bool:
        """Whether its recipient has read it."""
        return bool(self._data.get("read", False))

    def to_dict(self) -> Dict[str, Any]:
        """The same as a dictionary."""
        return self._data

    def to_markdown(self) -> str:
        """The same for people."""
        lines = [
            f"## Message from {self.sender.upper()}",
            "",
            f"**To:** {self.recipient}",
            f"**Subject:** {self.subject or '(no subject)'}",
            f"**Time:** {self.timestamp}",
            f"**Type:** {self.message_type}",
            "",
            self.content,
            "",
        ]
        return "\n".join(lines)

    @classmethod
    def create(
        cls,
        sender: str,
        recipient: str,
        content: str,
        subject: str = "",
        message_type: str = "message",
        task_id: Optional[str] = None,
    ) -> Message:
        """A new message. Nothing is sent before `save()`."""
        return cls(
            {
                "id": new_id("msg"),
                "from": sender,
                "to": recipient,
                "subject": subject,
                "content": content,
                "type": message_type if message_type in MESSAGE_TYPES else "message",
                "timestamp": format_time(datetime.now(timezone.utc)),
                "read": False,
                "task_id": task_id,
            }
        )

    @classmethod
    def load(cls, message_id: str, pending: bool = True) -> Optional[Message]:
        """The unread message of an id, or with `pending=False` the one that was read; else nothing."""
        view = found(lambda: default_hub().message.read(message_id)) if message_id else None
        if view is None:
            return None
        message = cls._of(view)
        return message if message.is_read is not pending else None

    def save(self, pending: bool = True) -> bool:
        """Sends the message, once. With `pending=False` it is marked as read as well. Raises what the hub refuses."""
        if not self._is_sent:
            self._send()
        return True if pending or self.is_read else self.mark_read()

    def mark_read(self) -> bool:
        """Marks the message as read by its recipient; answers whether it was unread."""
        if not self._is_sent:
            self._send()
        # Only the operator speaks for others; an agent acknowledges its own mail.
        hub = acting(self.recipient)
        done = hub.message.acknowledge(messages=self.id, as_recipient=hub.acts_as is None)
        self._data["read"] = True
        self._data["read_at"] = format_time(datetime.now(timezone.utc))
        return bool(done.changed)

    def _send(self) -> None:
        data = self._data
        local = str(data.get("id") or new_id("msg"))
        sent = acting(data.get("from")).message.send(
            to=self.recipient,
            subject=self.subject or None,
            body=self.content,
            intent=cast(Any, _INTENTS.get(self.message_type, self.message_type)),
            task=data.get("task_id"),
            aliases=local,
            key=local,
        )
        data["id"] = sent.id
        self._is_sent = True

    @classmethod
    def _of(cls, view: types.MessageView, to: Optional[str] = None) -> Message:
        recipients = [delivery for delivery in view.to if to in (None, delivery.agent.name)]
        message = cls(
            {
                "id": view.id,
                "from": view.from_.name,
                "to": to or ", ".join(delivery.agent.name for delivery in recipients),
                "subject": view.subject,
                "content": view.body or "",
                "type": _TYPES.get(view.intent, "message"),
                "timestamp": format_time(view.sent),
                "read": bool(recipients) and all(delivery.state in _READ for delivery in recipients),
                "task_id": view.task,
            }
        )
        message._is_sent = True
        return message


class MessageBus:
    """Sending and listing messages."""

    @staticmethod
    def send(message: Message) -> bool:
        """Sends a message. Raises what the hub refuses."""
        return message.save(pending=True)

    @staticmethod
    def get_inbox(agent: str) -> List[Message]:
        """The unread messages of an agent, oldest first. A listing: nothing counts as delivered by it."""
        hub = default_hub()
        ask = lambda after: hub.message.inbox(agent=agent, bodies=True, after=after, limit=200)  # noqa: E731
        rows: List[types.MailView] = list(pages(ask))
        messages = []
        for row in rows:
            message = Message(
                {
                    "id": row.id,
                    "from": row.from_.name,
                    "to": agent,
                    "subject": row.subject,
                    "content": row.body or "",
                    "type": _TYPES.get(row.intent, "message"),
                    "timestamp": format_time(row.sent),
                    "read": False,
                    "task_id": row.task,
                }
            )
            message._is_sent = True
            messages.append(message)
        return sorted(messages, key=lambda message: message.timestamp)

    @staticmethod
    def get_outbox(agent: str) -> List[Message]:
        """The messages that an agent sent, oldest first."""
        hub = default_hub()
        rows: List[types.MessageView] = list(
            pages(lambda after: hub.message.list(from_=agent, after=after, limit=1000))
        )
        return [Message._of(hub.message.read(row.id)) for row in reversed(rows)]

    @staticmethod
    def mark_read(message_id: str) -> bool:
        """Marks an unread message as read; answers whether there was one."""
        message = Message.load(message_id, pending=True)
        return message is not None and message.mark_read()
