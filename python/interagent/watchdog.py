"""`python -m interagent.watchdog` tells of messages, tasks and completions as they happen.

Nothing is polled: an interval is accepted and not needed.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from ._default import default_hub
from .cli import main as run_program

_KINDS = {"message": "new_message", "assigned": "new_task", "completed": "task_completed"}

Callback = Callable[[str, Dict[str, Any]], None]


class Watchdog:
    """Calls a function with `new_message`, `new_task` or `task_completed`, and what it is about."""

    def __init__(self, callback: Optional[Callback] = None, poll_interval: float = 5.0) -> None:
        self.callback: Callback = callback or _tell
        self.poll_interval = poll_interval
        self._stopped = threading.Event()

    def start(self) -> None:
        """Watches until `stop()` is called or the program is interrupted."""
        hub = default_hub()
        self._stopped.clear()
        reached = hub.log.notices().reached
        try:
            while not self._stopped.is_set():
                if not hub.wait_for_log(reached, self.poll_interval):
                    continue
                news = hub.log.notices(after=reached)
                reached = news.reached
                for item in news.items:
                    kind = _KINDS.get(item.kind)
                    if kind is not None:
                        self.callback(kind, self._about(kind, item.entity))
        except KeyboardInterrupt:
            pass

    def stop(self) -> None:
        """Ends `start()`, at the latest after the interval."""
        self._stopped.set()

    @staticmethod
    def _about(kind: str, entity: str) -> Dict[str, Any]:
        from .messaging import Message
        from .task import Task

        if kind == "new_message":
            return Message._of(default_hub().message.read(entity)).to_dict()
        task = Task.load(entity)
        return {} if task is None else task.to_dict()


def _tell(event: str, data: Dict[str, Any]) -> None:
    if event == "new_message":
        print(f"New message for {data['to']} from {data['from']}: {data.get('subject') or '(no subject)'}")
    elif event == "new_task":
        print(f"New task for {data.get('assignee') or 'nobody'}: {data.get('title')}")
    else:
        print(f"Task completed: {data.get('title')}")


def main(arguments: Optional[List[str]] = None) -> None:
    """Runs `interagent watch` in the place of this process."""
    run_program(["watch", *(sys.argv[1:] if arguments is None else arguments)])


if __name__ == "__main__":
    main()
