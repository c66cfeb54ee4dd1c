"""The same for asyncio."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import List

import pytest

from interagent import AsyncHub, Hub, NotFoundError


def test_operations_are_coroutines(hub: Hub) -> None:
    async def main() -> None:
        async with AsyncHub.open(agent="claude") as team:
            sent = await asyncio.gather(
                *(team.message.send(to="kimi", body=f"message {number}") for number in range(20))
            )
            assert len({message.id for message in sent}) == 20
            with pytest.raises(NotFoundError):
                await team.task.show("task-zzzz")
            assert (await team.whoami()).reply.seq > 0

    asyncio.run(main())
    assert len(hub.message.list(from_="claude", limit=100)) == 20


def test_events_are_an_asynchronous_iterator(hub: Hub) -> None:
    async def main() -> List[str]:
        async with AsyncHub.open() as team:
            seen: List[str] = []
            first = asyncio.Event()

            async def follow() -> None:
                async for event in team.events(after=0):
                    seen.append(event.op)
                    first.set()
                    if event.op == "task.create":
                        return

            following = asyncio.create_task(follow())
            await first.wait()
            await team.task.create("Design")
            await asyncio.wait_for(following, 60)
            return seen

    seen = asyncio.run(main())
    assert seen[-1] == "task.create" and "team.take" in seen


def test_cancelled_wait_is_given_up(hub: Hub) -> None:
    async def main() -> None:
        async with AsyncHub.open() as team:
            for _ in range(3):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(team.wait(600, agent="kimi"), 0.05)
            connection = team._link.connection()
            while connection._waiting:
                await asyncio.sleep(0.01)
            assert await team.wait(0, agent="kimi") is False

    asyncio.run(main())


def test_killed_program_is_started_again(hub: Hub) -> None:
    async def main() -> None:
        async with AsyncHub.open() as team:
            await team.whoami()
            os.kill(team._link.connection()._process.pid, signal.SIGKILL)
            assert (await team.task.create("After")).title == "After"

    asyncio.run(main())


def test_large_calls_and_answers_do_not_block_each_other(hub: Hub) -> None:
    large = hub.message.send(to="kimi", body="x" * 200_000).id

    async def main() -> int:
        async with AsyncHub.open() as team:
            calls = []
            for number in range(100):
                calls.append(team.message.read(large))
                calls.append(team.message.read("msg-" + "z" * 20_000 + str(number)))
            answers = await asyncio.gather(*calls, return_exceptions=True)
            return sum(1 for answer in answers if not isinstance(answer, Exception))

    assert asyncio.run(main()) == 100


def test_plain_hub_works_inside_a_loop(hub: Hub) -> None:
    """As in a notebook, whose cells run in a loop."""

    async def main() -> str:
        return hub.task.create("From a cell").title

    assert asyncio.run(main()) == "From a cell"
