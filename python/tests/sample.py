# pyright: strict
"""A program of a user, for the type checkers: every line has to be understood without help."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import List, Optional

from interagent import AsyncHub, Hub, InterAgentError, Message, MessageBus, Session, Task, TaskStatus, types


def documented() -> List[str]:
    session = Session.create("My Project", principal="claude")
    session.save()
    task = Task.create(title="Implement API", assignee="kimi", priority="high")
    task.save()
    task.update(status=TaskStatus.IN_PROGRESS.value)
    message = Message.create(sender="claude", recipient="kimi", content="Task assigned!", task_id=task.id)
    MessageBus.send(message)
    loaded: Optional[Task] = Task.load(task.id)
    count: int = session.get_summary()["active_tasks_count"]
    return [mail.content for mail in MessageBus.get_inbox("kimi")] + [str(count), loaded.status if loaded else ""]


def modern() -> datetime:
    with Hub.open("project", agent="claude") as hub:
        task: types.TaskView = hub.task.create("Design", assignee="kimi", requirements=["small"], depends_on="task-7k3m")
        sent = hub.message.send(
            to=["kimi"],
            intent="question",
            body="Which one?",
            refs=[{"kind": "file", "target": "src/main.py", "first_line": 10}],
            key="once",
        )
        names: List[str] = [who.name for who in sent.to]
        titles: List[str] = [row.title for row in hub.task.list(open=True, limit=len(names))]
        for event in hub.events(after=task.reply.seq):
            if event.op == "message.reply" and titles:
                break
        try:
            hub.message.read(sent.id)
        except InterAgentError as error:
            print(error.code, error.message, error.hint)
        return task.created


async def asynchronous() -> int:
    async with AsyncHub.open() as hub:
        board, identity = await asyncio.gather(hub.status.board(), hub.whoami())
        if identity.member is not None:
            print(identity.member.name)
        async for event in hub.events():
            return event.seq
        return len(board.rows)
