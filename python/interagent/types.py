"""What operations take and answer with.

Made from the program's catalog of operations. Do not edit: run `cargo xtask python --update`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Iterator, List, Literal, Optional, Tuple, TypedDict

from ._shape import Reply, Shape

__all__ = [
    "Reply",
    "Shape",
    "ActionView",
    "AgentPage",
    "AgentView",
    "AnchorView",
    "BoardRow",
    "BoardView",
    "BriefingView",
    "CallerFact",
    "ChangeParam",
    "ChangedFileParam",
    "ChangedFileView",
    "ChangedView",
    "ClientParam",
    "CollisionView",
    "CommentView",
    "CommitInfoParam",
    "CommitInfoView",
    "ControlPage",
    "ControlView",
    "DecisionPage",
    "DecisionView",
    "DeliveryView",
    "DenialView",
    "DependencyView",
    "DutyView",
    "EditsView",
    "EntryPage",
    "EntryView",
    "EscalationView",
    "EventView",
    "GuardView",
    "HandoverView",
    "HeldTextPage",
    "HeldTextView",
    "HistoryView",
    "HitPage",
    "HitView",
    "HoldView",
    "HolderParam",
    "HookView",
    "IdentityView",
    "InboxView",
    "LeasePage",
    "LeaseView",
    "LinkParam",
    "MailCount",
    "MailLine",
    "MailView",
    "MessagePage",
    "MessageView",
    "NextTaskView",
    "NoteView",
    "NoticeView",
    "NoticesView",
    "PermissionView",
    "PlaceView",
    "PositionView",
    "PromptView",
    "ProposalView",
    "RefParam",
    "RefView",
    "RelayView",
    "ReportView",
    "ReviewRow",
    "ReviewRowPage",
    "ReviewView",
    "RoundView",
    "RouteRow",
    "RouteView",
    "RuleView",
    "RunView",
    "SentView",
    "ServesView",
    "SessionPage",
    "SessionView",
    "SkillDetail",
    "SkillParam",
    "SkillSummary",
    "SkillSummaryPage",
    "SkillView",
    "SpecChangeView",
    "SpecRow",
    "SpecRowPage",
    "SpecView",
    "SplitView",
    "StateView",
    "StatusCount",
    "StatusView",
    "StepView",
    "SummaryView",
    "SuspicionView",
    "TaskRow",
    "TaskRowPage",
    "TaskView",
    "TeamView",
    "TodoScanParam",
    "TodoScanView",
    "TokenView",
    "TouchView",
    "TracePage",
    "TraceView",
    "TreeParam",
    "UnnamedView",
    "VerdictView",
    "VerificationParam",
    "VerificationView",
    "WakeTarget",
    "WakeView",
    "Who",
]


class ChangeParam(TypedDict, total=False):
    """Where a change is in git."""

    after_round: Optional[int]
    """The round it was made after."""
    base: Optional[str]
    """The commit that is changed."""
    head: Optional[str]
    """The commit that the change leads to; none for a snapshot."""
    since_base: Optional[str]
    """The diff between the bases of the previous round and this one."""
    since_head: Optional[str]
    """The diff between the heads of the previous round and this one."""
    tree: Optional[str]
    """The tree of a snapshot of the index or the working tree."""


class ChangedFileParam(TypedDict, total=False):
    """A file that was changed."""

    action: Literal["created", "modified", "deleted"]
    """created, modified or deleted."""
    path: str
    """Which."""


class ClientParam(TypedDict, total=False):
    """What the profile of the caller's client says of its tools and files."""

    files: List[str]
    """Files and directories of a project that configure the client, relative to its root."""
    read_only_subagents: List[str]
    """Kinds of subagents that can only read."""
    subagents: List[str]
    """Tools that start another agent."""


class CommitInfoParam(TypedDict, total=False):
    """Where the result is in git."""

    branch: Optional[str]
    """On which branch."""
    commit_hash: Optional[str]
    """The newest commit."""


class HolderParam(TypedDict, total=False):
    """An agent that holds files which changed."""

    agent: str
    """Its id."""
    files: List[str]
    """The files, absolute."""


class LinkParam(TypedDict, total=False):
    """A path that leads elsewhere, as found on the caller's machine."""

    path: str
    """As it is called."""
    real: str
    """Where it leads."""


class RefParam(TypedDict, total=False):
    """Something a message points at."""

    first_line: Optional[int]
    """First line, from 1."""
    kind: str
    """file, commit, diff, task, spec, message, decision, review or url."""
    last_line: Optional[int]
    """Last line."""
    target: str
    """The path, hash, id, name or address."""
    text: Optional[str]
    """A snapshot of the change, for diffs."""


class SkillParam(TypedDict, total=False):
    """What was learned that others could reuse."""

    description: Optional[str]
    """What it does."""
    found: bool
    """Whether there is something."""
    name: Optional[str]
    """Its name."""
    reason: Optional[str]
    """Why it is worth keeping."""


class TodoScanParam(TypedDict, total=False):
    """What is left to do in the files."""

    count: int
    """How many marks of it there are."""
    new_todos: List[str]
    """The new ones."""


class TreeParam(TypedDict, total=False):
    """Where a path belongs, as found on the caller's machine."""

    branch: Optional[str]
    """The branch that is checked out; left out for a commit without one."""
    guarded: bool
    """The path is a hook of git that asks the guard, or a directory with one."""
    hooks: List[str]
    """The hooks of its repository that ask the guard."""
    ignored: bool
    """Git ignores the path."""
    merging: bool
    """A merge was begun and is not committed yet."""
    path: str
    """The path or directory that was looked at."""
    repository: str
    """The git directory that all worktrees of the repository share."""
    root: str
    """The root of its git worktree."""
    untracked: Optional[List[str]]
    """Files of its worktree that git does not know and does not ignore, where it was asked."""


class VerificationParam(TypedDict, total=False):
    """How the result was tried."""

    build_command: Optional[str]
    """By which command."""
    build_result: Literal["pass", "fail"]
    """pass or fail."""
    error_console: Optional[str]
    """What stood on the console."""


@dataclass(frozen=True)
class ActionView(Shape):
    """Something that should happen next."""

    action: Literal["permit", "dialog", "decide", "release", "reassign", "unblock", "review", "answer", "start", "resume", "read"]
    """permit, dialog, decide, release, reassign, unblock, review, answer, start or read."""
    agent: Who
    """Who should act."""
    clause: str
    """The same without the command."""
    sentence: str
    """For people, with the command."""
    permission: Optional[PermissionView] = None
    """The permission prompt that it is about."""
    record: Optional[str] = None
    """The id of the record that the command names."""


@dataclass(frozen=True)
class AgentPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[AgentView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[AgentView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class AgentView(Shape):
    """An agent."""

    id: str
    """For ever."""
    name: str
    """For now."""
    capabilities: List[str]
    """What it is good at."""
    home: str
    """The replica that delivers for it."""
    local: bool
    """Whether that is this one."""
    notes: List[str]
    """What follows for people: what a retired agent leaves behind, where the mail of an earlier one is."""
    paths: List[str]
    """The paths it owns."""
    profile: str
    """Which kind of CLI, or `human`."""
    registered: datetime
    """Since when."""
    unread: int
    """Unread messages, counted up to 1000."""
    description: Optional[str] = None
    """What it works on."""
    model: Optional[str] = None
    """The model that its client was started with or switched to, where that is known."""
    reports_to: Optional[str] = None
    """Its superior."""
    retired: Optional[datetime] = None
    """Until when."""
    role: Optional[str] = None
    """Its role."""
    status: Optional[StatusView] = None
    """What it said of itself."""
    workspace: Optional[str] = None
    """Where it works."""


@dataclass(frozen=True)
class AnchorView(Shape):
    """Where a thread is in the round that is shown."""

    file: str
    """The file."""
    how: Literal["exact", "shifted", "moved", "changed", "outdated"]
    """How that compares with the thread's own position: exact, shifted, moved, changed or outdated."""
    side: Literal["old", "new"]
    """The side."""
    line: Optional[int] = None
    """The line; absent where the thread is about the file, or its line is gone."""


@dataclass(frozen=True)
class BoardRow(Shape):
    """A row of the board."""

    agent: AgentView
    """The agent."""
    open_tasks: int
    """Open tasks, counted up to 1000."""
    owes: int
    """What it owes, counted up to 1000."""
    sessions: List[SessionView]
    """Its live sessions."""
    life: Optional[Literal["away", "starting", "thinking", "asking", "idle", "wedged", "dead", "unknown"]] = None
    """Whether it lives and what it does, from hooks and processes; absent for people and for agents of other
    replicas.
    """
    reach: Optional[str] = None
    """How soon it sees a message; absent for people and for agents of other replicas."""
    seen: Optional[datetime] = None
    """When anything was last heard of it, by its sessions, its status and the newest 1000 entries of the log.
    """
    task: Optional[TaskRow] = None
    """Its open task that it works on, or else the first."""


@dataclass(frozen=True)
class BoardView(Shape):
    """What everybody is doing."""

    active_tasks: int
    """Tasks that somebody has still to do."""
    completed_tasks: int
    """Tasks that were done: completed, under review or approved."""
    held: int
    """Messages that wait for a release."""
    pending_messages: int
    """Messages that members here have not read, counted up to 1000 for each."""
    rows: List[BoardRow]
    """One row each."""
    clock_ahead_until: Optional[datetime] = None
    """Until when other clones defer the newest entries of this one, because its clock ran ahead."""
    formation: Optional[str] = None
    """duo, peers or captain; absent without a team file."""
    held_texts: Optional[int] = None
    """Texts that look like secrets and are kept out of git and files, counted up to 1000."""
    mode: Optional[str] = None
    """hierarchical, peer or review, where the formation has such a name."""
    permissions: List[PermissionView] = field(default_factory=list)
    """Permission prompts that are open, oldest first."""
    project: Optional[str] = None
    """The project's name; absent without a team file."""
    unnamed: List[UnnamedView] = field(default_factory=list)
    """Sessions of agents' clients on this machine that have no name in the team."""
    waiting_entries: Optional[int] = None
    """Entries of other replicas that claim to be from the future and wait for their time, counted up to 1000.
    """


@dataclass(frozen=True)
class BriefingView(Shape):
    """What an agent needs to know after a restart."""

    agent: Who
    """Whose."""
    duties: List[DutyView]
    """What it owes."""
    tasks: List[TaskRow]
    """Its open tasks."""
    text: str
    """The text to show it."""
    unread: int
    """Unread messages."""


@dataclass(frozen=True)
class CallerFact(Shape):
    """A fact about a caller."""

    counted: bool
    """Whether it decided who the caller is."""
    fact: str
    """token, variable, session, process, pane, client, terminal or behalf."""
    value: str
    """What it says."""


@dataclass(frozen=True)
class ChangedFileView(Shape):
    """A file that was changed."""

    action: Literal["created", "modified", "deleted"]
    """How."""
    path: str
    """Which."""


@dataclass(frozen=True)
class ChangedView(Shape):
    """Entities that changed, or would have but were so already."""

    changed: List[str]
    """Their ids."""
    unchanged: List[str]
    """Those that were so already."""


@dataclass(frozen=True)
class CollisionView(Shape):
    """Another agent that changed the same file just before."""

    other: Who
    """Who."""
    path: str
    """The file."""
    seconds: int
    """How long before."""
    told: bool
    """The other one was told now; otherwise both know already."""


@dataclass(frozen=True)
class CommentView(Shape):
    """A comment."""

    id: str
    """Its id."""
    at: datetime
    """When."""
    by: Who
    """By whom."""
    disposition: Literal["approve", "concern", "question", "note", "accepted_risk", "wont_fix"]
    """What it means."""
    resolved: bool
    """Its thread is closed."""
    thread: str
    """The thread it belongs to."""
    body: Optional[str] = None
    """The words."""
    file: Optional[str] = None
    """The file."""
    line: Optional[int] = None
    """The line."""
    place: Optional[AnchorView] = None
    """Where the thread is in the round that is shown; only the first comment of a thread with a file has one.
    Threads that were closed in an earlier round have none.
    """
    round: Optional[int] = None
    """The round it was written in."""
    side: Optional[Literal["old", "new"]] = None
    """The side."""


@dataclass(frozen=True)
class CommitInfoView(Shape):
    """Where the result is in git."""

    branch: Optional[str] = None
    """On which branch."""
    commit_hash: Optional[str] = None
    """The newest commit."""


@dataclass(frozen=True)
class ControlPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[ControlView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[ControlView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class ControlView(Shape):
    """A message for an agent's session itself."""

    agent: Who
    """Whose session."""
    from_: Who
    """Who asked for it."""
    has_words: bool
    """Whether it carries words for after a clear."""
    message: str
    """Its id."""
    promise: str
    """What will happen, in a sentence."""
    sent: datetime
    """Since when it waits."""
    verb: Literal["clear", "model", "stop", "resume"]
    """What."""
    model: Optional[str] = None
    """The model it changes to."""
    outcome: Optional[Literal["done", "failed"]] = None
    """What became of it."""


@dataclass(frozen=True)
class DecisionPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[DecisionView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[DecisionView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class DecisionView(Shape):
    """A decision."""

    id: str
    """Its id."""
    by: Who
    """Who asked."""
    may_decide: bool
    """It is open, and whoever asks may decide it."""
    opened: datetime
    """When."""
    options: List[str]
    """What could be chosen."""
    positions: List[PositionView]
    """Where each stands."""
    deadline: Optional[datetime] = None
    """Until when positions count."""
    decided: Optional[datetime] = None
    """When."""
    decided_by: Optional[Who] = None
    """By whom."""
    outcome: Optional[str] = None
    """What was decided."""
    question: Optional[str] = None
    """The question."""
    reason: Optional[str] = None
    """Why."""
    superseded_by: Optional[str] = None
    """The later decision that took its place."""
    supersedes: Optional[str] = None
    """The earlier decision it replaces."""


@dataclass(frozen=True)
class DeliveryView(Shape):
    """How far a message got with one recipient."""

    agent: Who
    """The recipient."""
    expired: bool
    """Past its expiry before it was delivered."""
    offered: bool
    """Offered to a session that gave no evidence yet."""
    owed: bool
    """Whether that is still owed."""
    redelivered: int
    """Hand-overs before that lapsed."""
    state: Literal["queued", "delivered", "acknowledged", "done", "refused"]
    """queued, delivered, acknowledged, done or refused."""
    acknowledged: Optional[datetime] = None
    """When it was acknowledged."""
    delivered: Optional[datetime] = None
    """When it was delivered."""
    duty: Optional[Literal["acknowledge", "answer", "accept", "verdict", "unblock", "start", "position"]] = None
    """What it obliges to."""
    how: Optional[Literal["replied", "accepted", "declined", "judged", "started", "positioned", "acknowledged", "completed", "answered", "withdrawn"]] = None
    """How."""
    settled: Optional[datetime] = None
    """When the duty ended."""
    via: Optional[Literal["inbox", "read", "hook", "mcp", "headless", "screen", "action"]] = None
    """By which way."""


@dataclass(frozen=True)
class DenialView(Shape):
    """Why something is not done."""

    reason: str
    """What would happen, and why it must not."""
    rule: Literal["F001", "F003", "F004", "F005", "F006", "RACE-001", "hub_files", "guard_itself", "too_much"]
    """The rule: one of the team's, or one that always holds."""
    text: str
    """All of it in one paragraph."""
    way_out: str
    """What to do instead."""


@dataclass(frozen=True)
class DependencyView(Shape):
    """A task that another waits for."""

    id: str
    """Its id."""
    title: str
    """One line."""
    status: Literal["pending", "assigned", "in_progress", "blocked", "completed", "under_review", "revision_needed", "approved", "rejected", "failed", "cancelled", "reassigned"]
    """Where it stands."""


@dataclass(frozen=True)
class DutyView(Shape):
    """Something an agent owes."""

    agent: Who
    """Who."""
    duty: Literal["acknowledge", "answer", "accept", "verdict", "unblock", "start", "position"]
    """What."""
    from_: Who
    """From whom that is."""
    message: str
    """By which message."""
    since: datetime
    """Since when."""
    subject: str
    """Its subject."""
    asked: Optional[int] = None
    """How often a person was asked, repeats included."""
    refs: List[RefView] = field(default_factory=list)
    """What the message points at, without texts."""
    task: Optional[str] = None
    """About which task."""


@dataclass(frozen=True)
class EditsView(Shape):
    """What was noted of changed files."""

    collisions: List[CollisionView]
    """Who else changed them within 30 seconds."""
    noted: int
    """How many files."""
    text: Optional[str] = None
    """What the caller should read now; absent where there is nothing new."""


@dataclass(frozen=True)
class EntryPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[EntryView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[EntryView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class EntryView(Shape):
    """An entry of the log."""

    id: str
    """Its id."""
    seq: int
    """Order of arrival here."""
    actor: Who
    """Who acted."""
    auth: Literal["session", "process", "pane", "token", "terminal", "claimed"]
    """How the program knew."""
    events: List[EventView]
    """What was decided."""
    held: bool
    """From the future: waits for its time."""
    op: str
    """Which operation."""
    origin: str
    """Which replica wrote it."""
    oseq: int
    """The replica's own count."""
    wall: datetime
    """When, by the wall clock."""
    behalf: Optional[Who] = None
    """For whom, when the operator spoke for an agent."""
    key: Optional[str] = None
    """The caller's key."""


@dataclass(frozen=True)
class EscalationView(Shape):
    """An escalation."""

    agent: Who
    """Who could not go on."""
    at: datetime
    """When."""
    by: str
    """The message that carries it."""
    by_ladder: bool
    """The program took it up, because the agent was silent."""
    to: Who
    """To whom it went."""
    answer: Optional[str] = None
    """The message that answered it."""
    concluded: Optional[Literal["settled", "waits", "reassigned", "cancelled"]] = None
    """What became of it without an answer."""
    deadline: Optional[datetime] = None
    """Until when an answer helps."""
    default: Optional[str] = None
    """What happens without one."""
    reason: Optional[str] = None
    """Why."""


@dataclass(frozen=True)
class EventView(Shape):
    """An event in an entry."""

    entity: str
    """Whose state it changes."""
    kind: str
    """Which kind."""
    what: str
    """What happened, in words."""
    void: Optional[str] = None
    """Why it did not count, if it did not."""


@dataclass(frozen=True)
class GuardView(Shape):
    """Whether something may be done."""

    allowed: bool
    """Nothing speaks against it."""
    rules: List[RuleView]
    """What each rule says."""
    runs: List[RunView]
    """What a command line runs, in order."""
    touches: List[TouchView]
    """What would happen, in order."""
    agent: Optional[Who] = None
    """Who was judged."""
    denial: Optional[DenialView] = None
    """The first thing that speaks against it."""
    role: Optional[Literal["principal", "delegate", "reviewer", "collaborator", "captain", "vice_captain", "member"]] = None
    """In which role."""


@dataclass(frozen=True)
class HandoverView(Shape):
    """Messages taken for hand-over."""

    agent: Who
    """To whom."""
    duties: List[DutyView]
    """The first 50 of it, oldest first."""
    items: List[MailView]
    """The messages, with their texts. Confirm once they have arrived."""
    owed: int
    """What the agent owes in all, counted up to 1000."""
    unread: int
    """Unread messages in all, counted up to 1000."""


@dataclass(frozen=True)
class HeldTextPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[HeldTextView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[HeldTextView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class HeldTextView(Shape):
    """A text that is kept out of git and files because it looks like a secret."""

    found: List[SuspicionView]
    """What in it looks like a secret."""
    hash: str
    """By what the log knows it; `text:HASH` names it."""
    kind: str
    """What it looks like, as a word: `github_token`, `private_key`, `password`, ..."""
    looks_like: str
    """The same for people."""
    by: Optional[Who] = None
    """Who wrote it."""
    entity: Optional[str] = None
    """What it belongs to; absent where that has not arrived."""
    written: Optional[datetime] = None
    """When."""


@dataclass(frozen=True)
class HistoryView(Shape):
    """An entity's history."""

    entity: str
    """Which entity."""
    steps: List[StepView]
    """In the order every replica agrees on."""


@dataclass(frozen=True)
class HitPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[HitView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[HitView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class HitView(Shape):
    """Something that was found."""

    at: datetime
    """When it was written."""
    entity: str
    """Where."""
    excerpt: str
    """An excerpt around the first hit."""
    hits: List[Tuple[int, int]]
    """Where the hits are in the excerpt: first byte, and byte after the last."""
    kind: str
    """message, task, spec, decision, review, report or agent."""
    part: str
    """Which part of it."""
    author: Optional[Who] = None
    """By whom."""


@dataclass(frozen=True)
class HoldView(Shape):
    """A message that waits for a release."""

    released_by: List[Who]
    """Who may release it."""
    why: str
    """Why, for people."""


@dataclass(frozen=True)
class HookView(Shape):
    """What is said to an agent at a hook."""

    briefed: bool
    """Whether it briefs the agent."""
    known: bool
    """Whether the session is bound to an agent."""
    messages: List[str]
    """The messages in it."""
    agent: Optional[Who] = None
    """Whose it is, where something is said."""
    notice: Optional[str] = None
    """One line for the person at the client."""
    stamp: Optional[int] = None
    """The stamp of these offers, to be given with the next hook once the text was printed."""
    text: Optional[str] = None
    """What is said; absent where there is nothing to say."""


@dataclass(frozen=True)
class IdentityView(Shape):
    """Who the caller is."""

    alias: str
    """Its name."""
    facts: List[CallerFact]
    """What is known of the caller, and what of it counted."""
    how: str
    """How that was decided, for people."""
    hub: str
    """The hub."""
    origin: str
    """This replica."""
    actor: Optional[Who] = None
    """Who really acts, when the operator speaks for an agent."""
    auth: Optional[Literal["session", "process", "pane", "token", "terminal", "claimed"]] = None
    """How that was decided, as a word."""
    member: Optional[Who] = None
    """The member the caller counts as; absent when unbound."""
    place: Optional[PlaceView] = None
    """Where the hub lies; the command line says so, the hub itself does not know."""


@dataclass(frozen=True)
class InboxView(Shape):
    """An agent's inbox."""

    agent: Who
    """Whose."""
    duties: List[DutyView]
    """The first 50 of it, oldest first."""
    items: List[MailView]
    """A page of them, oldest first; then, where asked for, of those that were read, newest first."""
    more: int
    """Unread messages after this page, counted up to 1000."""
    owed: int
    """What the agent owes in all, counted up to 1000."""
    unread: int
    """Unread messages in all, counted up to 1000."""
    waiting: bool
    """The caller asks for its own, not for a listing, and some of them were not handed over yet, and no other
    session has them: `offer.take` takes them.
    """
    next: Optional[str] = None
    """What to pass as `after` for the next page; absent at the end."""


@dataclass(frozen=True)
class LeasePage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[LeaseView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[LeaseView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class LeaseView(Shape):
    """A lease."""

    id: str
    """Its id."""
    holder: Who
    """By whom."""
    live: bool
    """Whether it holds."""
    mode: Literal["exclusive", "shared"]
    """Alone or not."""
    paths: List[str]
    """Which paths."""
    taken: datetime
    """When it was taken."""
    token: int
    """The fencing token; a later grant has a larger one."""
    ttl_s: int
    """For how long without renewal, in seconds."""
    reason: Optional[str] = None
    """For what."""
    task: Optional[str] = None
    """The task."""
    until: Optional[datetime] = None
    """About when it runs out, if it is not renewed; absent once it ended. The machine's own clock decides."""


@dataclass(frozen=True)
class MailCount(Shape):
    """Unread mail of one member."""

    agent: Who
    """Who."""
    first: List[MailLine]
    """The subjects of the first, with their senders."""
    unread: int
    """How many."""


@dataclass(frozen=True)
class MailLine(Shape):
    """A message in one line."""

    id: str
    """Its id."""
    from_: Who
    """From whom."""
    subject: str
    """One line."""


@dataclass(frozen=True)
class MailView(Shape):
    """A message in an inbox."""

    id: str
    """Its id."""
    auth: Literal["session", "process", "pane", "token", "terminal", "claimed"]
    """How the program knew that."""
    from_: Who
    """Who speaks."""
    hops: int
    """Messages between agents since a human spoke or the task moved."""
    human: bool
    """Whether a person speaks."""
    intent: Literal["message", "question", "handoff", "review_request", "blocked", "context_share", "delegation", "discussion", "report", "control"]
    """What it is for."""
    offered_elsewhere: bool
    """Another session of the agent has it offered."""
    priority: Literal["low", "medium", "high", "critical"]
    """How urgent."""
    quiet: bool
    """Wakes nobody."""
    redelivered: int
    """Hand-overs before that lapsed."""
    refs: List[RefView]
    """What it points at."""
    sent: datetime
    """When it was sent."""
    state: Literal["queued", "delivered", "acknowledged", "done", "refused"]
    """How far it got: queued or delivered while it is unread."""
    subject: str
    """One line."""
    thread: str
    """Its conversation."""
    asked: Optional[int] = None
    """How often this question was asked, repeats included."""
    body: Optional[str] = None
    """Markdown, when asked for."""
    duty: Optional[Literal["acknowledge", "answer", "accept", "verdict", "unblock", "start", "position"]] = None
    """What is owed for it."""
    reply_to: Optional[str] = None
    """The message it answers."""
    spoken_by: Optional[Who] = None
    """Who spoke in the sender's name, where the operator did."""
    task: Optional[str] = None
    """The task it concerns."""


@dataclass(frozen=True)
class MessagePage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[MessageView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[MessageView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class MessageView(Shape):
    """A message."""

    id: str
    """Its id."""
    addressed: List[str]
    """What was written as recipient."""
    aliases: List[str]
    """Ids in other systems."""
    auth: Literal["session", "process", "pane", "token", "terminal", "claimed"]
    """How the program knew that."""
    escalations: List[EscalationView]
    """How far its matter went up: from here, and then from whoever was asked."""
    from_: Who
    """Who speaks."""
    hops: int
    """Messages between agents since a human spoke or the task moved."""
    human: bool
    """Whether a person speaks."""
    intent: Literal["message", "question", "handoff", "review_request", "blocked", "context_share", "delegation", "discussion", "report", "control"]
    """What it is for."""
    priority: Literal["low", "medium", "high", "critical"]
    """How urgent."""
    purged: bool
    """Its text was deleted."""
    quiet: bool
    """Wakes nobody."""
    refs: List[RefView]
    """What it points at."""
    sent: datetime
    """When it was sent."""
    subject: str
    """One line."""
    thread: str
    """Its conversation."""
    to: List[DeliveryView]
    """To whom, and how far it got."""
    to_acknowledge: bool
    """Unread mail of the caller itself: `message.acknowledge` says that it was read, once this answer was
    written.
    """
    body: Optional[str] = None
    """Markdown; absent in lists without texts, and after a purge."""
    expires: Optional[datetime] = None
    """After this it is not worth delivering."""
    held: Optional[Literal["hops", "rate", "asked", "secret", "control"]] = None
    """Why it is held, if it is."""
    hold: Optional[HoldView] = None
    """What that means, and who lets it go."""
    not_carried_out: Optional[str] = None
    """Why a control message could not be carried out."""
    reply_to: Optional[str] = None
    """The message it answers."""
    spoken_by: Optional[Who] = None
    """Who spoke in the sender's name, where the operator did."""
    task: Optional[str] = None
    """The task it concerns."""


@dataclass(frozen=True)
class NextTaskView(Shape):
    """The next task for somebody."""

    claimed: bool
    """Whether it was taken by this call."""
    task: Optional[TaskView] = None
    """The task; absent when there is none."""


@dataclass(frozen=True)
class NoteView(Shape):
    """A note."""

    at: datetime
    """When."""
    by: Who
    """By whom."""
    note: Optional[str] = None
    """The words."""


@dataclass(frozen=True)
class NoticeView(Shape):
    """A piece of news."""

    seq: int
    """The entry's place in the log."""
    at: datetime
    """When, by the wall clock."""
    by: Who
    """Who did it."""
    entity: str
    """What it is about: the id of a message or task."""
    kind: Literal["message", "held", "assigned", "started", "completed", "verdict", "escalation"]
    """message, held, assigned, started, completed, verdict or escalation."""
    sentence: str
    """In words."""
    to: List[Who]
    """Whom it concerns."""


@dataclass(frozen=True)
class NoticesView(Shape):
    """News since a place of the log."""

    items: List[NoticeView]
    """In the order they came."""
    reached: int
    """The place of the log up to which they were told: what to pass as `after` for what comes next."""


@dataclass(frozen=True)
class PermissionView(Shape):
    """A permission prompt that is open in an agent's client."""

    agent: Who
    """Whose client."""
    answer: str
    """Where to answer it: a command, or a place in words."""
    client: str
    """Which kind of client."""
    since: datetime
    """Since when it is open."""
    command: Optional[str] = None
    """What that tool would run, edit or open: one line, without what looks like a secret."""
    pane: Optional[str] = None
    """The tmux pane it is in, where that is known."""
    tool: Optional[str] = None
    """The tool it is about; absent where the client does not say."""


@dataclass(frozen=True)
class PlaceView(Shape):
    """Where a hub lies, on the machine of whoever asks."""

    directory: str
    """Its directory."""
    how: str
    """How it was found."""
    kind: Literal["project", "personal", "named"]
    """project, personal or named."""
    project: Optional[str] = None
    """The project's directory."""
    team_file: Optional[str] = None
    """Its team file; absent where there is none."""
    worktree: Optional[str] = None
    """The git worktree."""


@dataclass(frozen=True)
class PositionView(Shape):
    """A position."""

    agent: Who
    """Who."""
    at: datetime
    """Since when."""
    position: Optional[str] = None
    """For what."""
    reason: Optional[str] = None
    """Why."""


@dataclass(frozen=True)
class PromptView(Shape):
    """A prompt for an agent."""

    agent: str
    """For whom."""
    profile: str
    """Which kind of client that is."""
    text: str
    """The whole prompt."""


@dataclass(frozen=True)
class ProposalView(Shape):
    """One report that proposed a skill."""

    name: str
    """The name as it was written."""
    at: datetime
    """When."""
    task: str
    """In the report on which task."""
    worker: Who
    """Who proposed it."""
    description: Optional[str] = None
    """What it does."""
    reason: Optional[str] = None
    """Why it is worth keeping."""


@dataclass(frozen=True)
class RefView(Shape):
    """What a message points at."""

    kind: str
    """file, commit, diff, task, spec, message, decision, review or url."""
    target: str
    """The path, hash, id, name or address."""
    first_line: Optional[int] = None
    """First line."""
    last_line: Optional[int] = None
    """Last line."""
    text: Optional[str] = None
    """The snapshot, for diffs; absent in lists without texts."""


@dataclass(frozen=True)
class RelayView(Shape):
    """The prompt a person pastes to an agent."""

    agent: Who
    """For whom."""
    duties: List[DutyView]
    """What it owes besides."""
    going_on: List[TaskRow]
    """Tasks it works on."""
    messages: List[MailLine]
    """Unread messages, without those that only announce a task above."""
    new_tasks: List[TaskRow]
    """Tasks it has not begun, most urgent first."""
    reviews: List[ReviewRow]
    """Open reviews that name it, of changes that are no task."""
    revisions: List[TaskRow]
    """Tasks that were sent back to it."""
    steps: List[str]
    """What it should do, in order, with the commands."""
    text: str
    """The whole prompt."""
    to_judge: List[TaskRow]
    """Completed work that waits for its verdict."""
    unread: int
    """Unread messages in all."""
    waiting: bool
    """Whether anything waits for it."""
    handed: List[str] = field(default_factory=list)
    """The messages whose text is in the prompt. Whoever gets the prompt hands them on; they stay undelivered.
    """
    role: Optional[str] = None
    """Its role."""


@dataclass(frozen=True)
class ReportView(Shape):
    """A report."""

    files_modified: List[str]
    """Which files."""
    skill_candidate: SkillView
    """What could be reused."""
    status: Literal["done", "failed", "blocked"]
    """How it ended."""
    timestamp: datetime
    """When."""
    worker: Who
    """Who worked."""
    changed_files: List[ChangedFileView] = field(default_factory=list)
    """Which files, and how each was changed."""
    commit_info: Optional[CommitInfoView] = None
    """Where it is in git."""
    notes: Optional[str] = None
    """Anything else."""
    purpose_gap: Optional[str] = None
    """Where the result misses the purpose."""
    purpose_met: bool = False
    """The worker compared the result with the purpose and found no gap."""
    spoken_by: Optional[Who] = None
    """Who spoke for it, where the operator did."""
    summary: Optional[str] = None
    """In short."""
    todo_scan: Optional[TodoScanView] = None
    """What is left to do."""
    verification: Optional[VerificationView] = None
    """How it was tried."""


@dataclass(frozen=True)
class ReviewRow(Shape):
    """A review in a list."""

    id: str
    """Its id."""
    title: str
    """One line."""
    author: Who
    """Whose work."""
    open_threads: int
    """Open threads with a concern or a question."""
    opened: datetime
    """When it was opened."""
    reviewers: List[Who]
    """Who looks."""
    void: bool
    """Its task was closed without a verdict: nothing waits for one any more."""
    aliases: List[str] = field(default_factory=list)
    """Words that name it wherever its id would."""
    round: Optional[int] = None
    """The newest round."""
    task: Optional[str] = None
    """Of which task."""
    verdict: Optional[Literal["approved", "revision_needed", "rejected"]] = None
    """The verdict on the newest round."""


@dataclass(frozen=True)
class ReviewRowPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[ReviewRow]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[ReviewRow]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class ReviewView(Shape):
    """A review."""

    comments: List[CommentView]
    """In order."""
    review: ReviewRow
    """The row."""
    diff: Optional[str] = None
    """The change of the round that is shown."""
    end: Optional[VerdictView] = None
    """The verdict on the newest round."""
    open_concerns: List[str] = field(default_factory=list)
    """Open threads in which somebody other than the author has a concern or a question."""
    round: Optional[int] = None
    """The round that is shown."""
    rounds: List[RoundView] = field(default_factory=list)
    """Every round, oldest first."""


@dataclass(frozen=True)
class RoundView(Shape):
    """A version of the change."""

    at: datetime
    """When it was submitted."""
    by: Who
    """By whom."""
    round: int
    """Counted from 1."""
    base: Optional[str] = None
    """The commit that is changed."""
    head: Optional[str] = None
    """The commit that the change leads to; none for a snapshot."""
    open_threads: List[str] = field(default_factory=list)
    """Concerns and questions that were open when the verdict was given."""
    source: Optional[str] = None
    """What the author named: a range, a branch, the index, a file."""
    tree: Optional[str] = None
    """The tree of a snapshot."""
    verdict: Optional[VerdictView] = None
    """The verdict on it."""


@dataclass(frozen=True)
class RouteRow(Shape):
    """Somebody's place in a ranking."""

    agent: Who
    """Who."""
    fits: bool
    """Whether it can get the task."""
    reasons: List[str]
    """Why it stands there, most important first."""


@dataclass(frozen=True)
class RouteView(Shape):
    """Who would get a task."""

    guesses: List[str]
    """What the words of the task were taken to mean."""
    ranking: List[RouteRow]
    """Everybody, best first."""
    why: str
    """Why that one, in one line; or why nobody."""
    best: Optional[Who] = None
    """Who would get it; absent when nobody fits."""
    capability: Optional[str] = None
    """What it needs somebody to be good at, said or guessed."""


@dataclass(frozen=True)
class RuleView(Shape):
    """What one rule says."""

    binds: bool
    """It binds this member."""
    denials: int
    """How much it speaks against."""
    rule: Literal["F001", "F003", "F004", "F005", "F006", "RACE-001"]
    """The rule."""


@dataclass(frozen=True)
class RunView(Shape):
    """One program that a command line runs."""

    command: str
    """As it was typed."""
    directory: Optional[str] = None
    """Where; absent where only running it would tell."""


@dataclass(frozen=True)
class SentView(Shape):
    """A message that was just sent."""

    id: str
    """Its id."""
    thread: str
    """Its conversation."""
    to: List[Who]
    """To whom."""
    held: Optional[Literal["hops", "rate", "asked", "secret", "control"]] = None
    """Why it is held, if it is."""
    hold: Optional[HoldView] = None
    """What that means, and who lets it go."""


@dataclass(frozen=True)
class ServesView(Shape):
    """What the work is for: said by the task itself, or by the nearest one above it."""

    acceptance_criteria: List[str]
    """How one sees that it is done."""
    order: str
    """The task that says it."""
    purpose: str
    """Why it exists."""


@dataclass(frozen=True)
class SessionPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[SessionView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[SessionView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class SessionView(Shape):
    """A client's session."""

    id: str
    """The client's id for it."""
    agent: Who
    """Whose it is."""
    bound: datetime
    """Since when it is bound."""
    profile: str
    """Which kind of client."""
    reach: str
    """How soon it sees a message."""
    seen: datetime
    """When anything was last heard."""
    state: Literal["busy", "idle", "asking", "ended"]
    """What its hooks say."""
    cwd: Optional[str] = None
    """Where it works."""
    life: Optional[Literal["away", "starting", "thinking", "asking", "idle", "wedged", "dead", "unknown"]] = None
    """Whether it lives and what it does, from hooks and process together."""
    pane: Optional[str] = None
    """The tmux pane."""
    pid: Optional[int] = None
    """The client's process."""


@dataclass(frozen=True)
class SkillDetail(Shape):
    """A skill with everything said of it."""

    proposals: List[ProposalView]
    """What members wrote, oldest first."""
    skill: SkillSummary
    """In short."""
    file: Optional[str] = None
    """What its SKILL.md says; absent where its name fits no folder."""


@dataclass(frozen=True)
class SkillSummary(Shape):
    """A skill that members proposed, and what the operator made of it."""

    description: str
    """What it is for."""
    key: str
    """By what it is known here."""
    places: List[str]
    """The files it was written to."""
    state: str
    """`candidate`, `promoted` or `rejected`."""
    times: int
    """How often it was proposed."""
    workers: List[Who]
    """By whom, each once."""
    name: Optional[str] = None
    """Its folder, once it was promoted."""
    decided: Optional[datetime] = None
    """When that was decided."""
    reason: Optional[str] = None
    """Why it was rejected."""


@dataclass(frozen=True)
class SkillSummaryPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[SkillSummary]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[SkillSummary]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class SkillView(Shape):
    """What could be reused."""

    found: bool
    """Whether there is something."""
    name: Optional[str] = None
    """Its name."""
    description: Optional[str] = None
    """What it does."""
    reason: Optional[str] = None
    """Why it is worth keeping."""


@dataclass(frozen=True)
class SpecChangeView(Shape):
    """What changed between two versions of a spec."""

    added: int
    """Lines that came."""
    diff: str
    """A unified diff; empty when both say the same."""
    from_: SpecRow
    """The older one."""
    removed: int
    """Lines that went."""
    to: SpecRow
    """The newer one."""


@dataclass(frozen=True)
class SpecRow(Shape):
    """A spec in a list."""

    name: str
    """Its name."""
    published: datetime
    """When."""
    publisher: Who
    """By whom."""
    version: int
    """The newest version."""
    note: Optional[str] = None
    """What changed."""


@dataclass(frozen=True)
class SpecRowPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[SpecRow]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[SpecRow]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class SpecView(Shape):
    """A version of a spec."""

    name: str
    """Its name."""
    published: datetime
    """When."""
    publisher: Who
    """By whom."""
    subscribers: List[Who]
    """Who hears of new ones."""
    version: int
    """Which version this is."""
    versions: List[SpecRow]
    """All versions, oldest first."""
    body: Optional[str] = None
    """Markdown."""
    note: Optional[str] = None
    """What changed."""


@dataclass(frozen=True)
class SplitView(Shape):
    """A proposal to divide a task."""

    at: datetime
    """When."""
    by: Who
    """By whom."""
    open: bool
    """Whether it waits for an answer."""
    parts: List[str]
    """One line each."""
    tasks: List[str]
    """The tasks that the parts became."""
    declined: Optional[str] = None
    """Why not."""
    reason: Optional[str] = None
    """Why."""


@dataclass(frozen=True)
class StateView(Shape):
    """An entity at a moment."""

    at: datetime
    """The moment."""
    entity: str
    """Which entity."""
    events: int
    """Events up to then."""
    names: List[Who]
    """The members whose ids are in it."""
    state: Any = None
    """Its state; absent when it did not exist."""


@dataclass(frozen=True)
class StatusCount(Shape):
    """A number of tasks."""

    count: int
    """How many."""
    status: str
    """In which status."""


@dataclass(frozen=True)
class StatusView(Shape):
    """What an agent said of itself."""

    since: datetime
    """Since when."""
    state: Literal["working", "idle", "waiting", "blocked", "offline"]
    """In one word."""
    context_left: Optional[int] = None
    """Context left, in percent."""
    text: Optional[str] = None
    """In its own words."""


@dataclass(frozen=True)
class StepView(Shape):
    """A step in an entity's history."""

    seq: int
    """The entry's place here."""
    auth: Literal["session", "process", "pane", "token", "terminal", "claimed"]
    """How the program knew."""
    by: Who
    """For whom it counts."""
    kind: str
    """Which kind of event."""
    op: str
    """Which operation."""
    wall: datetime
    """When, by the wall clock."""
    what: str
    """What happened, in words."""
    actor: Optional[Who] = None
    """Who really acted, when the operator spoke for an agent."""
    void: Optional[str] = None
    """Why it did not count, if it did not."""
    why: Optional[str] = None
    """The reason, note or summary that was given."""


@dataclass(frozen=True)
class SummaryView(Shape):
    """The team summed up."""

    actions: List[ActionView]
    """What needs doing."""
    commands: List[str]
    """Commands that help with it."""
    headlines: List[str]
    """What needs doing in short: one line for each member and kind of action."""
    held: int
    """Messages that wait for a release."""
    mail: List[MailCount]
    """Unread mail."""
    project: str
    """The project's name."""
    tasks: List[StatusCount]
    """Tasks by status."""
    formation: Optional[str] = None
    """duo, peers or captain; absent without a team file."""


@dataclass(frozen=True)
class SuspicionView(Shape):
    """A part of a text that looks like a secret."""

    kind: str
    """What it looks like, as a word: `github_token`, `private_key`, `password`, ..."""
    line: int
    """In which line of the text, counted from 1."""
    looks_like: str
    """The same for people."""
    shown: str
    """Its first characters and its length."""


@dataclass(frozen=True)
class TaskRow(Shape):
    """A task in a list."""

    id: str
    """Its id."""
    title: str
    """One line."""
    assigner: Who
    """Who wants it."""
    created: datetime
    """When it was created."""
    priority: Literal["low", "medium", "high", "critical"]
    """How urgent."""
    ready: bool
    """Nothing holds it back."""
    status: Literal["pending", "assigned", "in_progress", "blocked", "completed", "under_review", "revision_needed", "approved", "rejected", "failed", "cancelled", "reassigned"]
    """Where it stands."""
    updated: datetime
    """When it last changed."""
    assignee: Optional[Who] = None
    """Who works on it."""
    parent: Optional[str] = None
    """The order or task it is part of."""


@dataclass(frozen=True)
class TaskRowPage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[TaskRow]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[TaskRow]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class TaskView(Shape):
    """A task with everything said of it."""

    id: str
    """Its id."""
    title: str
    """One line."""
    acceptance_criteria: List[str]
    """How one sees that it is done."""
    aliases: List[str]
    """Ids in other systems."""
    assigner: Who
    """Who wants it."""
    created: datetime
    """When it was created."""
    depends_on: List[DependencyView]
    """What must be finished first."""
    files: List[str]
    """The files."""
    notes: List[NoteView]
    """What was noted."""
    order: bool
    """Whether it is an order."""
    priority: Literal["low", "medium", "high", "critical"]
    """How urgent."""
    ready: bool
    """Nothing holds it back."""
    reports: List[ReportView]
    """What was reported."""
    requirements: List[str]
    """What must be."""
    status: Literal["pending", "assigned", "in_progress", "blocked", "completed", "under_review", "revision_needed", "approved", "rejected", "failed", "cancelled", "reassigned"]
    """Where it stands."""
    updated: datetime
    """When it last changed."""
    verdicts: List[VerdictView]
    """What was decided of it."""
    assignee: Optional[Who] = None
    """Who works on it."""
    awaits_verdict: bool = False
    """The team's rules require a verdict on it, and nobody gave one yet."""
    branch: Optional[str] = None
    """The branch."""
    capability: Optional[str] = None
    """What it needs somebody to be good at."""
    description: Optional[str] = None
    """Markdown."""
    echo_message: Optional[str] = None
    """The cheerful line at its end."""
    parent: Optional[str] = None
    """The order or task it is part of."""
    purpose: Optional[str] = None
    """Why it exists."""
    reassigned_from: Optional[str] = None
    """The task it takes over."""
    redo_of: Optional[str] = None
    """The task it does again."""
    reviews: List[ReviewRow] = field(default_factory=list)
    """Its reviews, newest first."""
    serves: Optional[ServesView] = None
    """What the work is for, where somebody said so."""
    split: Optional[SplitView] = None
    """The last proposal to divide it."""
    successor: Optional[str] = None
    """The task that goes on in its place."""
    target_path: Optional[str] = None
    """Where the result goes."""


@dataclass(frozen=True)
class TeamView(Shape):
    """The team as it was last taken in."""

    by: Who
    """By whom."""
    changed: datetime
    """When it was taken in."""
    config: Any
    """The normalised team file as JSON."""
    formation: str
    """duo, peers or captain."""
    project: str
    """The project's name."""
    text: str
    """The same as a commented `team.toml`."""
    mode: Optional[str] = None
    """hierarchical, peer or review, where the formation has such a name."""


@dataclass(frozen=True)
class TodoScanView(Shape):
    """What is left to do in the files."""

    count: int
    """How many marks of it there are."""
    new_todos: List[str]
    """The new ones."""


@dataclass(frozen=True)
class TokenView(Shape):
    """An agent's token. It is as good as the agent itself: whoever has it is that agent."""

    agent: Who
    """Whose it is."""
    created: Optional[datetime] = None
    """When it was made."""
    file: Optional[str] = None
    """The file that holds it, for its owner alone."""
    token: Optional[str] = None
    """The token; absent when it was revoked."""


@dataclass(frozen=True)
class TouchView(Shape):
    """One thing that would happen."""

    command: str
    """The piece of the command that does it."""
    denials: List[DenialView]
    """What speaks against it."""
    does: str
    """What it does, in words."""
    branch: Optional[str] = None
    """The branch it would happen on."""
    place: Optional[str] = None
    """The file or directory."""


@dataclass(frozen=True)
class TracePage(Shape):
    """Some rows, and where the next ones begin."""

    items: List[TraceView]
    """The rows."""
    next: Optional[str] = None
    """What to pass as `after` for more; absent at the end."""

    def __iter__(self) -> Iterator[TraceView]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class TraceView(Shape):
    """A line of the trace."""

    at: datetime
    """When."""
    data: Any
    """Facts."""
    kind: str
    """What."""
    n: int
    """Its number."""
    agent: Optional[Who] = None
    """The agent it is about, where it is about one."""


@dataclass(frozen=True)
class UnnamedView(Shape):
    """A session of an agent's client that has no name in the team."""

    client: str
    """What people call the client."""
    profile: str
    """Which kind of client."""
    session: str
    """The client's id for it."""
    cwd: Optional[str] = None
    """Where it works."""
    pid: Optional[int] = None
    """The client's process."""


@dataclass(frozen=True)
class VerdictView(Shape):
    """A verdict."""

    at: datetime
    """When."""
    by: Who
    """By whom."""
    overruled: bool
    """The operator decided over the rules."""
    verdict: Literal["approved", "revision_needed", "rejected"]
    """What."""
    note: Optional[str] = None
    """Why."""
    review: Optional[str] = None
    """The review it came from."""


@dataclass(frozen=True)
class VerificationView(Shape):
    """How the result was tried."""

    build_result: Literal["pass", "fail"]
    """How the build ended."""
    build_command: Optional[str] = None
    """By which command."""
    error_console: Optional[str] = None
    """What stood on the console."""


@dataclass(frozen=True)
class WakeTarget(Shape):
    """A session of an agent for which mail waits."""

    profile: str
    """Which kind of client."""
    reach: str
    """How soon it sees a message."""
    sees: bool
    """It sees the message without a person's help: it is in a turn, a waiter is beside it, or it was woken.
    """
    session: str
    """The client's id for it."""
    cwd: Optional[str] = None
    """Where it works."""
    pid: Optional[int] = None
    """The client's process."""
    way: Optional[Literal["waiter", "command", "file"]] = None
    """How it is to be woken now; absent where it is not."""


@dataclass(frozen=True)
class WakeView(Shape):
    """Which sessions of an agent are to be woken."""

    agent: Who
    """Whose."""
    set: str
    """Names the set of these messages."""
    targets: List[WakeTarget]
    """Its sessions."""
    waiting: int
    """Messages that wait, counted up to 1000."""


@dataclass(frozen=True)
class Who(Shape):
    """A member: id and name. A foreign agent with a taken name is shown as `name@origin`."""

    id: str
    """For ever."""
    name: str
    """For now."""
    replica: Optional[str] = None
    """How the replica that it lives at stands here, where that is another one and not accepted: `new replica`.
    """
