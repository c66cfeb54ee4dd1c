"""The operations of the hub, as methods.

Made from the program's catalog of operations. Do not edit: run `cargo xtask python --update`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Optional, Sequence, Union

from . import types
from ._ask import IDEMPOTENT, KEYED, READ, WRITE, Ask, moment, texts


class AgentOperations:
    """The agents of the team."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def register(
        self,
        name: str,
        *,
        description: Optional[str] = None,
        profile: Optional[str] = None,
        workspace: Optional[str] = None,
    ) -> types.AgentView:
        """Registers an agent, or brings what is known of it up to date.

        Args:
            name: Its name.
            description: What it works on.
            profile: Which kind of CLI it is (claude, kimi, codex, gemini, ...).
            workspace: The directory it works in.
        """
        return self._ask("agent.register", {
            "name": name,
            "description": description,
            "profile": profile,
            "workspace": workspace,
        }, types.AgentView, IDEMPOTENT)

    def list(self, *, retired: bool = False) -> types.AgentPage:
        """Lists the agents with role, state and unread mail.

        Args:
            retired: Also those who take part no longer.
        """
        return self._ask("agent.list", {
            "retired": retired,
        }, types.AgentPage, READ)

    def show(self, agent: Optional[str] = None) -> types.AgentView:
        """Shows one agent.

        Args:
            agent: Its name or id; the caller when left out.
        """
        return self._ask("agent.show", {
            "agent": agent,
        }, types.AgentView, READ)

    def rename(self, agent: str, *, name: str) -> types.AgentView:
        """Gives an agent another name.

        Args:
            agent: Its name or id.
            name: The new name.
        """
        return self._ask("agent.rename", {
            "agent": agent,
            "name": name,
        }, types.AgentView, IDEMPOTENT)

    def retire(self, agent: str, *, reason: Optional[str] = None) -> types.AgentView:
        """Ends an agent's part in the team; its history stays.

        Args:
            agent: Its name or id.
            reason: Why.
        """
        return self._ask("agent.retire", {
            "agent": agent,
            "reason": reason,
        }, types.AgentView, IDEMPOTENT)

    def token(self, agent: Optional[str] = None, *, new: bool = False) -> types.TokenView:
        """Shows an agent's token, with which its client is that agent over HTTP. The first time it is made.

        Args:
            agent: Its name or id; the caller when left out.
            new: Make another one; the one before works no longer.
        """
        return self._ask("agent.token", {
            "agent": agent,
            "new": new,
        }, types.TokenView, WRITE)

    def revoke(self, agent: Optional[str] = None) -> types.TokenView:
        """Takes an agent's token away: it works no longer.

        Args:
            agent: Its name or id; the caller when left out.
        """
        return self._ask("agent.revoke", {
            "agent": agent,
        }, types.TokenView, IDEMPOTENT)


class ControlOperations:
    """Clearing, stopping and resuming sessions of agents."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def send(
        self,
        agent: str,
        *,
        body: Optional[str] = None,
        model: Optional[str] = None,
        verb: Optional[Literal["clear", "model", "stop", "resume"]] = None,
        key: Optional[str] = None,
    ) -> types.ControlView:
        """Asks for an agent's session to be cleared, changed to another model, stopped or resumed. It waits
        until it is carried out.

        Args:
            agent: A name or id.
            body: For clear: what the agent reads first afterwards.
            model: The model it changes to.
            verb: clear, model, stop or resume.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("control.send", {
            "agent": agent,
            "body": body,
            "model": model,
            "verb": verb,
            "key": key,
        }, types.ControlView, KEYED)

    def list(self, *, agent: Optional[str] = None) -> types.ControlPage:
        """Lists control messages that were not carried out yet, oldest first.

        Args:
            agent: Only for this one: a name or id.
        """
        return self._ask("control.list", {
            "agent": agent,
        }, types.ControlPage, READ)

    def done(
        self,
        message: str,
        *,
        note: Optional[str] = None,
        outcome: Optional[Literal["done", "failed"]] = None,
    ) -> types.ControlView:
        """Records that a control message was carried out, or could not be; for whoever does it on the agent's
        machine.

        Args:
            message: The message.
            note: Why it failed, or what was seen.
            outcome: done or failed.
        """
        return self._ask("control.done", {
            "message": message,
            "note": note,
            "outcome": outcome,
        }, types.ControlView, IDEMPOTENT)


class DecisionOperations:
    """Decisions: questions with options, positions and an outcome."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def open(
        self,
        question: str,
        *,
        aliases: Union[str, Sequence[str]] = (),
        deadline: Optional[Union[datetime, str]] = None,
        options: Union[str, Sequence[str]] = (),
        quiet: bool = False,
        supersedes: Optional[str] = None,
        to: Union[str, Sequence[str]] = (),
        key: Optional[str] = None,
    ) -> types.DecisionView:
        """Opens a question that needs an outcome and asks for positions.

        Args:
            question: The question.
            aliases: Other names for it.
            deadline: Until when positions count.
            options: What could be chosen.
            quiet: Asks nobody.
            supersedes: The earlier decision it is to replace.
            to: Who is asked: names, ids, roles or `all`. Without it: everybody the opener may ask.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("decision.open", {
            "question": question,
            "aliases": texts(aliases),
            "deadline": moment(deadline),
            "options": texts(options),
            "quiet": quiet,
            "supersedes": supersedes,
            "to": texts(to),
            "key": key,
        }, types.DecisionView, KEYED)

    def position(
        self,
        decision: str,
        *,
        position: str,
        reason: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.DecisionView:
        """Takes a position on a question.

        Args:
            decision: The decision.
            position: For what.
            reason: Why.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("decision.position", {
            "decision": decision,
            "position": position,
            "reason": reason,
            "key": key,
        }, types.DecisionView, KEYED)

    def decide(
        self,
        decision: str,
        *,
        outcome: str,
        other: bool = False,
        reason: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.DecisionView:
        """Decides a question.

        Args:
            decision: The decision.
            outcome: What: one of the options, where there are some.
            other: It is none of the options, and meant to be; needs a reason.
            reason: Why.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("decision.decide", {
            "decision": decision,
            "outcome": outcome,
            "other": other,
            "reason": reason,
            "key": key,
        }, types.DecisionView, KEYED)

    def list(
        self,
        *,
        after: Optional[str] = None,
        limit: Optional[int] = None,
        open: bool = False,
    ) -> types.DecisionPage:
        """Lists decisions, newest first.

        Args:
            after: Where the page before ended.
            limit: At most so many.
            open: Only those without an outcome.
        """
        return self._ask("decision.list", {
            "after": after,
            "limit": limit,
            "open": open,
        }, types.DecisionPage, READ)

    def show(self, decision: str) -> types.DecisionView:
        """Shows one decision with its positions.

        Args:
            decision: Its id.
        """
        return self._ask("decision.show", {
            "decision": decision,
        }, types.DecisionView, READ)


class EditOperations:
    """Notes of changed files."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def note(
        self,
        *,
        paths: Union[str, Sequence[str]] = (),
        root: Optional[str] = None,
    ) -> types.EditsView:
        """Notes that files were changed, and tells both agents when another one changed one of them within 30
        seconds.

        Args:
            paths: The files, absolute.
            root: The directory they are told relative to.
        """
        return self._ask("edit.note", {
            "paths": texts(paths),
            "root": root,
        }, types.EditsView, WRITE)


class GuardOperations:
    """What a tool call may do."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def check(
        self,
        cwd: str,
        *,
        agent: Optional[str] = None,
        at_git: bool = False,
        briefed: Optional[bool] = None,
        client: Optional[types.ClientParam] = None,
        command: Optional[str] = None,
        committed: Union[str, Sequence[str]] = (),
        home: Optional[str] = None,
        hub: Optional[str] = None,
        input: Optional[Any] = None,
        links: Sequence[types.LinkParam] = (),
        present: Union[str, Sequence[str]] = (),
        project: Optional[str] = None,
        record: bool = False,
        tool: Optional[str] = None,
        trees: Sequence[types.TreeParam] = (),
        updated: Union[str, Sequence[str]] = (),
    ) -> types.GuardView:
        """Says whether the team's rules allow what a tool or a command line is about to do. Nothing is run.

        Args:
            cwd: The directory it begins in, absolute.
            agent: Whose: a name or id; the caller when left out.
            at_git: Git itself asks, before a commit or a push: a person may be bound, too.
            briefed: Whether the agent had its briefing in this session; left out where that is not known.
            client: What is known of the client.
            command: A command line, where there is no tool.
            committed: The files that the commit changes, absolute, where git asks before a commit.
            home: The caller's home directory.
            hub: The hub's directory on the caller's machine.
            input: The tool's arguments.
            links: Paths that lead elsewhere: what is judged is the file that is written to.
            present: Words of the command that are names of files which are there, as absolute paths.
            project: The project's directory on the caller's machine.
            record: Leave a line in the trace when it is refused.
            tool: The tool's name, as the client calls it.
            trees: Where the paths that are touched belong. A rule has nothing to say of a path that is
                not here.
            updated: The branches that git is about to put elsewhere, where it asks before it does.
        """
        return self._ask("guard.check", {
            "cwd": cwd,
            "agent": agent,
            "at_git": at_git,
            "briefed": briefed,
            "client": client,
            "command": command,
            "committed": texts(committed),
            "home": home,
            "hub": hub,
            "input": input,
            "links": list(links),
            "present": texts(present),
            "project": project,
            "record": record,
            "tool": tool,
            "trees": list(trees),
            "updated": texts(updated),
        }, types.GuardView, WRITE)

    def report(
        self,
        command: str,
        *,
        kept: str,
        changes: Union[str, Sequence[str]] = (),
        holders: Sequence[types.HolderParam] = (),
    ) -> types.EditsView:
        """Tells those whom it concerns that something changed while a tool ran, which the caller may not
        change.

        Args:
            command: What the tool call was, in one line.
            kept: The name of what is kept of it.
            changes: What changed, in words.
            holders: The agents that hold some of it, by id, each with the files that are theirs.
        """
        return self._ask("guard.report", {
            "command": command,
            "kept": kept,
            "changes": texts(changes),
            "holders": list(holders),
        }, types.EditsView, WRITE)


class LeaseOperations:
    """Leases: who may write which files."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def take(
        self,
        *,
        mode: Optional[Literal["exclusive", "shared"]] = None,
        paths: Union[str, Sequence[str]] = (),
        reason: Optional[str] = None,
        task: Optional[str] = None,
        ttl_s: Optional[int] = None,
    ) -> types.LeaseView:
        """Leases paths, so that no other agent writes them meanwhile. The same again renews.

        Args:
            mode: exclusive or shared.
            paths: Globs relative to the project.
            reason: For what.
            task: The task.
            ttl_s: For how long without renewal, in seconds.
        """
        return self._ask("lease.take", {
            "mode": mode,
            "paths": texts(paths),
            "reason": reason,
            "task": task,
            "ttl_s": ttl_s,
        }, types.LeaseView, IDEMPOTENT)

    def renew(self, lease: str, *, token: Optional[int] = None) -> types.LeaseView:
        """Renews a lease for its time again.

        Args:
            lease: Its id.
            token: Its token.
        """
        return self._ask("lease.renew", {
            "lease": lease,
            "token": token,
        }, types.LeaseView, IDEMPOTENT)

    def release(self, lease: str, *, token: Optional[int] = None) -> types.LeaseView:
        """Gives a lease back.

        Args:
            lease: Its id.
            token: Its token.
        """
        return self._ask("lease.release", {
            "lease": lease,
            "token": token,
        }, types.LeaseView, IDEMPOTENT)

    def force(self, lease: str, *, reason: str, key: Optional[str] = None) -> types.LeaseView:
        """Takes a lease away from its holder.

        Args:
            lease: Its id.
            reason: Why.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("lease.force", {
            "lease": lease,
            "reason": reason,
            "key": key,
        }, types.LeaseView, KEYED)

    def list(self) -> types.LeasePage:
        """Lists the leases that hold now."""
        return self._ask("lease.list", {}, types.LeasePage, READ)


class LogOperations:
    """The record of everything that was decided."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def list(
        self,
        *,
        entity: Optional[str] = None,
        after: Optional[int] = None,
        before: Optional[int] = None,
        by: Optional[str] = None,
        kind: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> types.EntryPage:
        """Lists entries of the log.

        Args:
            entity: Only about this entity: its id, name or alias; `team` and `spec:NAME` too.
            after: Those after this place, oldest first; `next` of the page before goes here. Newest first
                when left out.
            before: Those before this place; without `after`, `next` of the page before goes here.
            by: Only by this member, or in its name.
            kind: Only with events of this kind, such as `task` or `task.moved`, or of this operation.
            limit: At most so many. A page may hold fewer though there are more: `next` tells.
        """
        return self._ask("log.list", {
            "entity": entity,
            "after": after,
            "before": before,
            "by": by,
            "kind": kind,
            "limit": limit,
        }, types.EntryPage, READ)

    def history(self, entity: str) -> types.HistoryView:
        """Tells one entity's history: who did what when, and what of it did not count and why.

        Args:
            entity: Its id, name or alias; `team` and `spec:NAME` too.
        """
        return self._ask("log.history", {
            "entity": entity,
        }, types.HistoryView, READ)

    def notices(
        self,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> types.NoticesView:
        """Tells what is news for a person who watches: messages, assignments, starts, completions, verdicts,
        escalations.

        Args:
            after: Only what came after this place of the log; from now on when left out.
            limit: Look at so many entries at most.
        """
        return self._ask("log.notices", {
            "after": after,
            "limit": limit,
        }, types.NoticesView, READ)

    def state(
        self,
        entity: str,
        *,
        at: Optional[Union[datetime, str]] = None,
    ) -> types.StateView:
        """Shows an entity as it was at a moment.

        Args:
            entity: Its id, name or alias.
            at: The moment; now when left out.
        """
        return self._ask("log.state", {
            "entity": entity,
            "at": moment(at),
        }, types.StateView, READ)

    def trace(self, *, limit: Optional[int] = None) -> types.TracePage:
        """Shows the local trace: refused sends, offers that lapsed, wake attempts.

        Args:
            limit: At most so many, newest first.
        """
        return self._ask("log.trace", {
            "limit": limit,
        }, types.TracePage, READ)


class MessageOperations:
    """Messages and their way to the recipients."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def send(
        self,
        *,
        ack: bool = False,
        aliases: Union[str, Sequence[str]] = (),
        body: Optional[str] = None,
        expires: Optional[Union[datetime, str]] = None,
        intent: Optional[Literal["message", "question", "handoff", "review_request", "blocked", "context_share", "delegation", "discussion", "report", "control"]] = None,
        priority: Optional[Literal["low", "medium", "high", "critical"]] = None,
        refs: Sequence[types.RefParam] = (),
        subject: Optional[str] = None,
        task: Optional[str] = None,
        thread: Optional[str] = None,
        to: Union[str, Sequence[str]] = (),
        key: Optional[str] = None,
    ) -> types.SentView:
        """Sends a message. It is durable once this answers; the recipient gets it by itself.

        Args:
            ack: Ask for an acknowledgement.
            aliases: Ids of the same message in other systems.
            body: Markdown.
            expires: After this it is not worth delivering.
            intent: What it is for: message, question, handoff, review_request, blocked, context_share,
                delegation, discussion, report or control.
            priority: low, medium, high or critical.
            refs: What it points at.
            subject: One line; the first line of the body when left out.
            task: The task it concerns.
            thread: A message of the conversation it continues.
            to: Names, `name@origin`, `role:reviewer`, `operator` or `all`.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("message.send", {
            "ack": ack,
            "aliases": texts(aliases),
            "body": body,
            "expires": moment(expires),
            "intent": intent,
            "priority": priority,
            "refs": list(refs),
            "subject": subject,
            "task": task,
            "thread": thread,
            "to": texts(to),
            "key": key,
        }, types.SentView, KEYED)

    def reply(
        self,
        message: str,
        *,
        body: Optional[str] = None,
        complete: bool = False,
        expires: Optional[Union[datetime, str]] = None,
        intent: Optional[Literal["message", "question", "handoff", "review_request", "blocked", "context_share", "delegation", "discussion", "report", "control"]] = None,
        priority: Optional[Literal["low", "medium", "high", "critical"]] = None,
        refs: Sequence[types.RefParam] = (),
        subject: Optional[str] = None,
        verdict: Optional[Literal["approved", "revision_needed", "rejected"]] = None,
        key: Optional[str] = None,
    ) -> types.SentView:
        """Replies to a message; a reply settles a question.

        Args:
            message: The message it answers.
            body: Markdown.
            complete: Also settles what the message obliged to.
            expires: After this it is not worth delivering.
            intent: What it is for; a plain message when left out.
            priority: low, medium, high or critical.
            refs: What it points at.
            subject: One line.
            verdict: The reply is the verdict that the message asks for: approved, revision_needed or
                rejected.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("message.reply", {
            "message": message,
            "body": body,
            "complete": complete,
            "expires": moment(expires),
            "intent": intent,
            "priority": priority,
            "refs": list(refs),
            "subject": subject,
            "verdict": verdict,
            "key": key,
        }, types.SentView, KEYED)

    def inbox(
        self,
        *,
        after: Optional[str] = None,
        agent: Optional[str] = None,
        all: bool = False,
        bodies: bool = False,
        limit: Optional[int] = None,
    ) -> types.InboxView:
        """Shows unread messages and what is owed, without changing anything.

        Args:
            after: Where the page before ended; a listing too.
            agent: Whose: a name or id; the caller when left out.
            all: Also those that were read, after the unread ones and newest first; a listing, from which
                nothing is handed over.
            bodies: With the texts.
            limit: At most so many.
        """
        return self._ask("message.inbox", {
            "after": after,
            "agent": agent,
            "all": all,
            "bodies": bodies,
            "limit": limit,
        }, types.InboxView, READ)

    def read(self, message: str, *, as_recipient: bool = False) -> types.MessageView:
        """Shows one message with its text and how far it got.

        Args:
            message: Its id, a prefix of it, or an alias.
            as_recipient: By the operator: as its only recipient, or in whose name the operator speaks.
        """
        return self._ask("message.read", {
            "message": message,
            "as_recipient": as_recipient,
        }, types.MessageView, READ)

    def acknowledge(
        self,
        *,
        as_recipient: bool = False,
        messages: Union[str, Sequence[str]] = (),
        via: Optional[Literal["inbox", "read", "hook", "mcp", "headless", "screen", "action"]] = None,
    ) -> types.ChangedView:
        """Marks messages as read by the caller.

        Args:
            as_recipient: By the operator: as the only recipient of each.
            messages: Their ids.
            via: How they were read.
        """
        return self._ask("message.acknowledge", {
            "as_recipient": as_recipient,
            "messages": texts(messages),
            "via": via,
        }, types.ChangedView, IDEMPOTENT)

    def settle(self, message: str) -> types.MessageView:
        """Says that what a message obliged to is done.

        Args:
            message: Its id.
        """
        return self._ask("message.settle", {
            "message": message,
        }, types.MessageView, IDEMPOTENT)

    def accept(self, message: str, *, key: Optional[str] = None) -> types.MessageView:
        """Accepts a handoff or a delegation; the task changes hands.

        Args:
            message: Its id.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("message.accept", {
            "message": message,
            "key": key,
        }, types.MessageView, KEYED)

    def decline(
        self,
        message: str,
        *,
        reason: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.MessageView:
        """Declines what a message asks for.

        Args:
            message: Its id.
            reason: Why.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("message.decline", {
            "message": message,
            "reason": reason,
            "key": key,
        }, types.MessageView, KEYED)

    def thread(
        self,
        message: str,
        *,
        before: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> types.MessagePage:
        """Shows a conversation, oldest first.

        Args:
            message: Any message of it.
            before: Those before this place; `next` of the page after goes here. The newest when left out.
            limit: At most so many, the newest.
        """
        return self._ask("message.thread", {
            "message": message,
            "before": before,
            "limit": limit,
        }, types.MessagePage, READ)

    def list(
        self,
        *,
        after: Optional[str] = None,
        from_: Optional[str] = None,
        held: bool = False,
        intent: Optional[Literal["message", "question", "handoff", "review_request", "blocked", "context_share", "delegation", "discussion", "report", "control"]] = None,
        limit: Optional[int] = None,
        since: Optional[Union[datetime, str]] = None,
        task: Optional[str] = None,
        thread: Optional[str] = None,
        to: Optional[str] = None,
    ) -> types.MessagePage:
        """Lists messages, newest first.

        Args:
            after: Where the page before ended.
            from_: From this member.
            held: Only those that are held.
            intent: With this intent.
            limit: At most so many.
            since: Sent then or later.
            task: About this task.
            thread: In the conversation of this message.
            to: To this member.
        """
        return self._ask("message.list", {
            "after": after,
            "from": from_,
            "held": held,
            "intent": intent,
            "limit": limit,
            "since": moment(since),
            "task": task,
            "thread": thread,
            "to": to,
        }, types.MessagePage, READ)

    def hold(self, message: str) -> types.MessageView:
        """Holds a message back before anybody has it.

        Args:
            message: Its id.
        """
        return self._ask("message.hold", {
            "message": message,
        }, types.MessageView, IDEMPOTENT)

    def release(self, message: str) -> types.MessageView:
        """Lets a held message go on its way.

        Args:
            message: Its id.
        """
        return self._ask("message.release", {
            "message": message,
        }, types.MessageView, IDEMPOTENT)

    def escalate(
        self,
        message: str,
        *,
        reason: str,
        deadline: Optional[Union[datetime, str]] = None,
        default: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.SentView:
        """Takes a matter to the superior or the operator when the caller can't go on.

        Args:
            message: The message it is about.
            reason: Why, and what was tried.
            deadline: Until when an answer helps.
            default: What happens without one.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("message.escalate", {
            "message": message,
            "reason": reason,
            "deadline": moment(deadline),
            "default": default,
            "key": key,
        }, types.SentView, KEYED)

    def answer(self, message: str, *, body: str, key: Optional[str] = None) -> types.SentView:
        """Answers an escalation; the matter is settled and the agent told.

        Args:
            message: The escalation, or the message it is about.
            body: The answer.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("message.answer", {
            "message": message,
            "body": body,
            "key": key,
        }, types.SentView, KEYED)


class OfferOperations:
    """The two steps in which an agent takes its mail."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def take(
        self,
        *,
        limit: Optional[int] = None,
        one_prompt: bool = False,
        skip_low: bool = False,
        via: Optional[Literal["inbox", "read", "hook", "mcp", "headless", "screen", "action"]] = None,
    ) -> types.HandoverView:
        """Takes the caller's waiting messages for hand-over: no other session gets them meanwhile.

        Args:
            limit: At most so many.
            one_prompt: Only as many as one prompt holds.
            skip_low: Leave those of low priority for later.
            via: By which way they will be handed over.
        """
        return self._ask("offer.take", {
            "limit": limit,
            "one_prompt": one_prompt,
            "skip_low": skip_low,
            "via": via,
        }, types.HandoverView, WRITE)

    def confirm(self, *, messages: Union[str, Sequence[str]] = ()) -> types.ChangedView:
        """Confirms that what was taken has arrived: the messages are delivered.

        Args:
            messages: Only these; everything taken when empty.
        """
        return self._ask("offer.confirm", {
            "messages": texts(messages),
        }, types.ChangedView, IDEMPOTENT)


class ReviewOperations:
    """Reviews of changes, in rounds."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def open(
        self,
        *,
        title: str = "",
        aliases: Union[str, Sequence[str]] = (),
        body: Optional[str] = None,
        change: Optional[types.ChangeParam] = None,
        diff: Optional[str] = None,
        source: Optional[str] = None,
        staged: bool = False,
        task: Optional[str] = None,
        to: Union[str, Sequence[str]] = (),
        key: Optional[str] = None,
    ) -> types.ReviewView:
        """Opens a review of a change and asks the reviewers.

        Args:
            title: One line; taken from the change when left out.
            aliases: Words that name it wherever its id would.
            body: What kind of feedback is wanted.
            change: Where the change is in git.
            diff: The change, as a diff.
            source: What to review: a range such as main..HEAD, a branch or a task. Command line and stdio
                MCP server read it from git.
            staged: Review what is staged instead.
            task: The task it belongs to.
            to: Who looks: names, ids or `role:reviewer`.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("review.open", {
            "title": title,
            "aliases": texts(aliases),
            "body": body,
            "change": change,
            "diff": diff,
            "source": source,
            "staged": staged,
            "task": task,
            "to": texts(to),
            "key": key,
        }, types.ReviewView, KEYED)

    def update(
        self,
        review: str,
        *,
        body: Optional[str] = None,
        change: Optional[types.ChangeParam] = None,
        diff: Optional[str] = None,
        source: Optional[str] = None,
        staged: bool = False,
        key: Optional[str] = None,
    ) -> types.ReviewView:
        """Adds a round to a review: another version of the change. Open threads stay, and the reviewers owe a
        new verdict.

        Args:
            review: The review.
            body: What changed since the last round.
            change: Where the change is in git.
            diff: The change, as a diff.
            source: What to review now: a range such as main..HEAD, or a branch. Left out, it is what the
                last round named.
            staged: Review what is staged instead.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("review.update", {
            "review": review,
            "body": body,
            "change": change,
            "diff": diff,
            "source": source,
            "staged": staged,
            "key": key,
        }, types.ReviewView, KEYED)

    def comment(
        self,
        review: str,
        *,
        body: str,
        disposition: Optional[Literal["approve", "concern", "question", "note", "accepted_risk", "wont_fix"]] = None,
        file: Optional[str] = None,
        line: Optional[int] = None,
        side: Optional[Literal["old", "new"]] = None,
        thread: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.ReviewView:
        """Comments on a review, at a line or in a thread.

        Args:
            review: The review.
            body: The words.
            disposition: approve, concern, question, note, accepted_risk or wont_fix.
            file: The file, as the diff names it.
            line: The line, as the diff numbers it.
            side: old or new; the new side first when left out.
            thread: The thread it answers; a new one when left out.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("review.comment", {
            "review": review,
            "body": body,
            "disposition": disposition,
            "file": file,
            "line": line,
            "side": side,
            "thread": thread,
            "key": key,
        }, types.ReviewView, KEYED)

    def resolve(self, review: str, *, thread: str) -> types.ReviewView:
        """Closes a thread of a review.

        Args:
            review: The review.
            thread: The thread.
        """
        return self._ask("review.resolve", {
            "review": review,
            "thread": thread,
        }, types.ReviewView, IDEMPOTENT)

    def verdict(
        self,
        review: str,
        *,
        note: Optional[str] = None,
        verdict: Optional[Literal["approved", "revision_needed", "rejected"]] = None,
        key: Optional[str] = None,
    ) -> types.ReviewView:
        """Gives a verdict on the newest round; a review of a task decides the task.

        Args:
            review: The review.
            note: Why.
            verdict: approved, revision_needed or rejected.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("review.verdict", {
            "review": review,
            "note": note,
            "verdict": verdict,
            "key": key,
        }, types.ReviewView, KEYED)

    def list(
        self,
        *,
        after: Optional[str] = None,
        limit: Optional[int] = None,
        open: bool = False,
    ) -> types.ReviewRowPage:
        """Lists reviews, newest first.

        Args:
            after: Where the page before ended.
            limit: At most so many.
            open: Only those without a verdict.
        """
        return self._ask("review.list", {
            "after": after,
            "limit": limit,
            "open": open,
        }, types.ReviewRowPage, READ)

    def show(self, review: str, *, round: Optional[int] = None) -> types.ReviewView:
        """Shows one review with its diff and its threads.

        Args:
            review: Its id.
            round: The newest round when left out.
        """
        return self._ask("review.show", {
            "review": review,
            "round": round,
        }, types.ReviewView, READ)


class SessionOperations:
    """Sessions of coding clients."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def bind(
        self,
        session: str,
        *,
        agent: Optional[str] = None,
        boot: Optional[str] = None,
        cwd: Optional[str] = None,
        join: bool = False,
        pane: Optional[str] = None,
        pid: Optional[int] = None,
        profile: Optional[str] = None,
        started: Optional[int] = None,
        state: Optional[Literal["busy", "idle", "asking", "ended"]] = None,
    ) -> types.SessionView:
        """Binds a client's session to an agent. What the session does counts for that agent from then on.

        Args:
            session: The client's id for the session.
            agent: Whose it is: a name or id; the caller when left out.
            boot: Which run of the machine.
            cwd: Where it works.
            join: Join though another live session has this agent.
            pane: The tmux pane.
            pid: The client's process.
            profile: Which kind of client.
            started: When that process started, in ticks since boot.
            state: What its hooks say.
        """
        return self._ask("session.bind", {
            "session": session,
            "agent": agent,
            "boot": boot,
            "cwd": cwd,
            "join": join,
            "pane": pane,
            "pid": pid,
            "profile": profile,
            "started": started,
            "state": state,
        }, types.SessionView, IDEMPOTENT)

    def hook(
        self,
        session: str,
        *,
        bind: bool = False,
        client: Optional[str] = None,
        command: Optional[str] = None,
        context_left: Optional[int] = None,
        cwd: Optional[str] = None,
        ends_once: bool = False,
        heard: bool = False,
        host: Optional[str] = None,
        looks_again: bool = False,
        looping: bool = False,
        moment: Optional[Literal["start", "prompt", "after_tool", "turn_end", "notice", "compact", "end", "wait"]] = None,
        notice: Optional[Literal["asking", "answered", "idle", "other"]] = None,
        pane: Optional[str] = None,
        pid: Optional[int] = None,
        printed: Sequence[int] = (),
        profile: Optional[str] = None,
        remark: Optional[str] = None,
        subagent: bool = False,
        tool: Optional[str] = None,
        tools: Optional[str] = None,
        tools_configured: bool = False,
        uninvited: bool = False,
        viewed: bool = False,
        wake: Optional[Literal["waiter", "command", "file"]] = None,
    ) -> types.HookView:
        """Tells the hub what a client's hook told of, and answers with what is said to the agent. Messages in
        it are offered to the session; the session's next hook is the evidence that they arrived.

        Args:
            session: The client's id for the session.
            bind: The session may be bound now: the caller's process is known.
            client: What people call the client.
            command: What that tool runs, edits or opens.
            context_left: Context left, in percent, where the client says so.
            cwd: Where it works.
            ends_once: The client tells of the end of a turn once, also where that kept it going: so only
                a prompt begins one.
            heard: The client takes in what is said there.
            host: The process that runs its hooks and its MCP servers, as `pid-start`.
            looks_again: The client's process may become known later than the session: a session that
                nothing wakes is bound again at a prompt.
            looping: A hook has kept this turn going already.
            moment: What happened.
            notice: What a notice of the client says.
            pane: The tmux pane.
            pid: The client's process.
            printed: The stamps of the hand-overs that were printed for the client, as far as they are
                known. What was offered under another one never left us.
            profile: Which kind of client.
            remark: What the agent should know beside its messages. Where the client does not hear it now,
                it is said as soon as it does.
            subagent: It happened in a subagent.
            tool: The tool that the hook is about.
            tools: What the client calls the tools of our MCP server, with `{tool}`; absent where it can't
                have any.
            tools_configured: The client's settings list our MCP server.
            uninvited: Nobody is invited: the hub is the user's own, and the project has none.
            viewed: That process only shows the session, and another one serves it.
            wake: How it is woken while it is idle.
        """
        return self._ask("session.hook", {
            "session": session,
            "bind": bind,
            "client": client,
            "command": command,
            "context_left": context_left,
            "cwd": cwd,
            "ends_once": ends_once,
            "heard": heard,
            "host": host,
            "looks_again": looks_again,
            "looping": looping,
            "moment": moment,
            "notice": notice,
            "pane": pane,
            "pid": pid,
            "printed": list(printed),
            "profile": profile,
            "remark": remark,
            "subagent": subagent,
            "tool": tool,
            "tools": tools,
            "tools_configured": tools_configured,
            "uninvited": uninvited,
            "viewed": viewed,
            "wake": wake,
        }, types.HookView, WRITE)

    def wake(
        self,
        agent: str,
        *,
        failed: Union[str, Sequence[str]] = (),
        set: Optional[str] = None,
        woken: Union[str, Sequence[str]] = (),
    ) -> types.WakeView:
        """Names the idle sessions of an agent that are to be woken from outside, because mail waits: once for
        each set of waiting messages. Whoever is on their machine wakes them, and then calls this again
        with what became of it: only a wake that succeeded counts.

        Args:
            agent: Its name or id.
            failed: Sessions that could not be woken.
            set: The set of messages they were woken for, as the first answer named it; what waits now
                when left out.
            woken: Sessions that were woken.
        """
        return self._ask("session.wake", {
            "agent": agent,
            "failed": texts(failed),
            "set": set,
            "woken": texts(woken),
        }, types.WakeView, IDEMPOTENT)

    def end(self, session: str) -> types.SessionView:
        """Ends a session: what was offered to it goes back into the queue.

        Args:
            session: The client's id for it.
        """
        return self._ask("session.end", {
            "session": session,
        }, types.SessionView, IDEMPOTENT)

    def list(self, *, agent: Optional[str] = None) -> types.SessionPage:
        """Lists the sessions that did not end.

        Args:
            agent: Of one agent only.
        """
        return self._ask("session.list", {
            "agent": agent,
        }, types.SessionPage, READ)


class SkillOperations:
    """Skills that the team has learned."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def list(self, *, candidates: bool = False) -> types.SkillSummaryPage:
        """Lists skills that members proposed, the most often proposed first.

        Args:
            candidates: Only those that nothing was decided of.
        """
        return self._ask("skill.list", {
            "candidates": candidates,
        }, types.SkillSummaryPage, READ)

    def show(self, name: str, *, folder: Optional[str] = None) -> types.SkillDetail:
        """Shows one skill: who proposed it, why, and what its file would say.

        Args:
            name: A name as it was written, or its key.
            folder: Its folder, where that is not its key.
        """
        return self._ask("skill.show", {
            "name": name,
            "folder": folder,
        }, types.SkillDetail, READ)

    def promote(
        self,
        name: str,
        *,
        folder: Optional[str] = None,
        places: Union[str, Sequence[str]] = (),
        key: Optional[str] = None,
    ) -> types.SkillDetail:
        """Makes a candidate a skill of the project's clients; the operator alone.

        Args:
            name: A name as it was written, or its key.
            folder: Its folder, where that is not its key.
            places: The files it is written to, relative to the project.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("skill.promote", {
            "name": name,
            "folder": folder,
            "places": texts(places),
            "key": key,
        }, types.SkillDetail, IDEMPOTENT)

    def reject(self, name: str, *, reason: str, key: Optional[str] = None) -> types.SkillDetail:
        """Says that a candidate is not wanted; the operator alone.

        Args:
            name: A name as it was written, or its key.
            reason: Why.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("skill.reject", {
            "name": name,
            "reason": reason,
            "key": key,
        }, types.SkillDetail, IDEMPOTENT)


class SpecOperations:
    """Specs: named texts with versions."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def publish(
        self,
        name: str,
        *,
        body: str,
        expected_version: Optional[int] = None,
        note: Optional[str] = None,
    ) -> types.SpecView:
        """Publishes a version of a spec; subscribers are told. The same text again is no new version.

        Args:
            name: The spec's name.
            body: Markdown.
            expected_version: The version it was made from; refused when there is a newer one.
            note: What changed.
        """
        return self._ask("spec.publish", {
            "name": name,
            "body": body,
            "expected_version": expected_version,
            "note": note,
        }, types.SpecView, IDEMPOTENT)

    def show(
        self,
        name: str,
        *,
        publisher: Optional[str] = None,
        version: Optional[int] = None,
    ) -> types.SpecView:
        """Shows a spec.

        Args:
            name: Its name.
            publisher: As this member published it, also where another one came first and it did not
                count.
            version: The newest when left out.
        """
        return self._ask("spec.show", {
            "name": name,
            "publisher": publisher,
            "version": version,
        }, types.SpecView, READ)

    def list(
        self,
        *,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> types.SpecRowPage:
        """Lists the specs.

        Args:
            after: Where the page before ended.
            limit: At most so many.
        """
        return self._ask("spec.list", {
            "after": after,
            "limit": limit,
        }, types.SpecRowPage, READ)

    def history(
        self,
        name: str,
        *,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> types.SpecRowPage:
        """Lists the versions of a spec, newest first: who published them, when, and what changed.

        Args:
            name: Its name.
            after: Where the page before ended.
            limit: At most so many.
        """
        return self._ask("spec.history", {
            "name": name,
            "after": after,
            "limit": limit,
        }, types.SpecRowPage, READ)

    def diff(
        self,
        name: str,
        *,
        from_: Optional[int] = None,
        to: Optional[int] = None,
    ) -> types.SpecChangeView:
        """Shows what changed between two versions of a spec.

        Args:
            name: Its name.
            from_: The older version; the one before `to` when left out.
            to: The newer version; the newest when left out.
        """
        return self._ask("spec.diff", {
            "name": name,
            "from": from_,
            "to": to,
        }, types.SpecChangeView, READ)

    def subscribe(self, name: str, *, remove: bool = False) -> types.ChangedView:
        """Subscribes to new versions of a spec, or takes that back.

        Args:
            name: Its name.
            remove: Take the subscription back.
        """
        return self._ask("spec.subscribe", {
            "name": name,
            "remove": remove,
        }, types.ChangedView, IDEMPOTENT)


class StatusOperations:
    """What each agent is doing."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def set(
        self,
        *,
        text: Optional[str] = None,
        context_left: Optional[int] = None,
        state: Optional[Literal["working", "idle", "waiting", "blocked", "offline"]] = None,
    ) -> types.AgentView:
        """Says what the caller is doing.

        Args:
            text: In its own words.
            context_left: Context left, in percent.
            state: In one word: working, idle, waiting, blocked, offline.
        """
        return self._ask("status.set", {
            "text": text,
            "context_left": context_left,
            "state": state,
        }, types.AgentView, IDEMPOTENT)

    def board(self) -> types.BoardView:
        """Shows what everybody is doing, what they owe and what waits for them."""
        return self._ask("status.board", {}, types.BoardView, READ)


class TaskOperations:
    """Tasks, from creation to approval."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def create(
        self,
        title: str,
        *,
        acceptance_criteria: Union[str, Sequence[str]] = (),
        aliases: Union[str, Sequence[str]] = (),
        announce: bool = False,
        assignee: Optional[str] = None,
        branch: Optional[str] = None,
        capability: Optional[str] = None,
        depends_on: Union[str, Sequence[str]] = (),
        description: Optional[str] = None,
        echo_message: Optional[str] = None,
        files: Union[str, Sequence[str]] = (),
        parent: Optional[str] = None,
        priority: Optional[Literal["low", "medium", "high", "critical"]] = None,
        purpose: Optional[str] = None,
        quiet: bool = False,
        requirements: Union[str, Sequence[str]] = (),
        route: bool = False,
        target_path: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.TaskView:
        """Creates a task and, with an assignee, gives it to them.

        Args:
            title: One line.
            acceptance_criteria: How one sees that it is done.
            aliases: Ids of the same task in other systems.
            announce: Accepted and not needed: the assignee is notified by default.
            assignee: Who does it: a name or id.
            branch: The branch to work on.
            capability: What it needs somebody to be good at.
            depends_on: What must be finished first.
            description: Markdown.
            echo_message: The cheerful line at its end.
            files: The files it is about.
            parent: The order or task it is part of.
            priority: low, medium, high or critical.
            purpose: Why it exists.
            quiet: Sends the assignee no message.
            requirements: What must be.
            route: Without an assignee: give it to whom it fits best, by path ownership, capability, load
                and liveness.
            target_path: Where the result goes.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.create", {
            "title": title,
            "acceptance_criteria": texts(acceptance_criteria),
            "aliases": texts(aliases),
            "announce": announce,
            "assignee": assignee,
            "branch": branch,
            "capability": capability,
            "depends_on": texts(depends_on),
            "description": description,
            "echo_message": echo_message,
            "files": texts(files),
            "parent": parent,
            "priority": priority,
            "purpose": purpose,
            "quiet": quiet,
            "requirements": texts(requirements),
            "route": route,
            "target_path": target_path,
            "key": key,
        }, types.TaskView, KEYED)

    def route(
        self,
        title: str,
        *,
        capability: Optional[str] = None,
        description: Optional[str] = None,
        files: Union[str, Sequence[str]] = (),
    ) -> types.RouteView:
        """Says who would get a task that names nobody, and why; creates nothing.

        Args:
            title: One line.
            capability: What it needs somebody to be good at; guessed from the words when left out.
            description: Markdown.
            files: The files it is about; guessed from the words when left out.
        """
        return self._ask("task.route", {
            "title": title,
            "capability": capability,
            "description": description,
            "files": texts(files),
        }, types.RouteView, READ)

    def list(
        self,
        *,
        after: Optional[str] = None,
        assignee: Optional[str] = None,
        limit: Optional[int] = None,
        open: bool = False,
        parent: Optional[str] = None,
        status: Optional[Literal["pending", "assigned", "in_progress", "blocked", "completed", "under_review", "revision_needed", "approved", "rejected", "failed", "cancelled", "reassigned"]] = None,
    ) -> types.TaskRowPage:
        """Lists tasks, newest first.

        Args:
            after: Where the page before ended.
            assignee: Of this assignee.
            limit: At most so many.
            open: Only open ones.
            parent: Part of this one.
            status: In this status.
        """
        return self._ask("task.list", {
            "after": after,
            "assignee": assignee,
            "limit": limit,
            "open": open,
            "parent": parent,
            "status": status,
        }, types.TaskRowPage, READ)

    def show(self, task: str = "") -> types.TaskView:
        """Shows one task with everything said of it.

        Args:
            task: Its id, a prefix of it, or an alias. Empty: the caller's one open task.
        """
        return self._ask("task.show", {
            "task": task,
        }, types.TaskView, READ)

    def update(
        self,
        task: str,
        *,
        title: Optional[str] = None,
        branch: Optional[str] = None,
        description: Optional[str] = None,
        note: Optional[str] = None,
        priority: Optional[Literal["low", "medium", "high", "critical"]] = None,
        status: Optional[Literal["pending", "assigned", "in_progress", "blocked", "completed", "under_review", "revision_needed", "approved", "rejected", "failed", "cancelled", "reassigned"]] = None,
        with_open_parts: bool = False,
        key: Optional[str] = None,
    ) -> types.TaskView:
        """Moves a task, notes something, or changes what it says; all in one step.

        Args:
            task: Its id.
            title: New title.
            branch: New branch.
            description: New description.
            note: Why it moves, or just a note.
            priority: New priority.
            status: The status to move to; skipped steps are recorded too.
            with_open_parts: Completes or approves it although parts of it are not done; the task notes
                which.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.update", {
            "task": task,
            "title": title,
            "branch": branch,
            "description": description,
            "note": note,
            "priority": priority,
            "status": status,
            "with_open_parts": with_open_parts,
            "key": key,
        }, types.TaskView, KEYED)

    def claim(self, task: str) -> types.TaskView:
        """Takes a task that is nobody's.

        Args:
            task: Its id.
        """
        return self._ask("task.claim", {
            "task": task,
        }, types.TaskView, IDEMPOTENT)

    def next(self, *, peek: bool = False, key: Optional[str] = None) -> types.NextTaskView:
        """Finds the most urgent task that is ready for the caller, and takes it.

        Args:
            peek: Only look.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.next", {
            "peek": peek,
            "key": key,
        }, types.NextTaskView, KEYED)

    def note(self, task: str, *, note: str, key: Optional[str] = None) -> types.TaskView:
        """Adds a time-stamped note to a task.

        Args:
            task: Its id.
            note: The words.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.note", {
            "task": task,
            "note": note,
            "key": key,
        }, types.TaskView, KEYED)

    def depend(self, task: str, *, on: str, remove: bool = False) -> types.TaskView:
        """Makes a task wait for another, or no longer.

        Args:
            task: The task that waits.
            on: For which.
            remove: Take the dependency away.
        """
        return self._ask("task.depend", {
            "task": task,
            "on": on,
            "remove": remove,
        }, types.TaskView, IDEMPOTENT)

    def report(
        self,
        task: str = "",
        *,
        changed_files: Sequence[types.ChangedFileParam] = (),
        commit_info: Optional[types.CommitInfoParam] = None,
        files_modified: Union[str, Sequence[str]] = (),
        notes: Optional[str] = None,
        purpose_gap: Optional[str] = None,
        purpose_met: bool = False,
        skill_candidate: Optional[types.SkillParam] = None,
        status: Optional[Literal["done", "failed", "blocked"]] = None,
        summary: Optional[str] = None,
        todo_scan: Optional[types.TodoScanParam] = None,
        verification: Optional[types.VerificationParam] = None,
        with_open_parts: bool = False,
        yaml: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.TaskView:
        """Reports on a task: done completes it, failed closes it, blocked says so.

        Args:
            task: Its id; the caller's one open task when left out.
            changed_files: Which files, and how each was changed.
            commit_info: Where it is in git.
            files_modified: Which files.
            notes: Anything else.
            purpose_gap: Where the result misses the purpose.
            purpose_met: The result was compared with the purpose, and there is no gap.
            skill_candidate: What could be reused; say `found: false` when nothing could.
            status: done, failed or blocked.
            summary: In short.
            todo_scan: What is left to do.
            verification: How it was tried.
            with_open_parts: Completes or approves it although parts of it are not done; the task notes
                which.
            yaml: The whole report as a YAML document, instead of the fields: worker_id, task_id,
                parent_cmd, timestamp, status, result {summary, files_modified, notes}, skill_candidate
                {found, name, description, reason}, purpose_gap, changed_files, verification, todo_scan,
                commit_info.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.report", {
            "task": task,
            "changed_files": list(changed_files),
            "commit_info": commit_info,
            "files_modified": texts(files_modified),
            "notes": notes,
            "purpose_gap": purpose_gap,
            "purpose_met": purpose_met,
            "skill_candidate": skill_candidate,
            "status": status,
            "summary": summary,
            "todo_scan": todo_scan,
            "verification": verification,
            "with_open_parts": with_open_parts,
            "yaml": yaml,
            "key": key,
        }, types.TaskView, KEYED)

    def verdict(
        self,
        task: str,
        *,
        note: Optional[str] = None,
        verdict: Optional[Literal["approved", "revision_needed", "rejected"]] = None,
        with_open_parts: bool = False,
        key: Optional[str] = None,
    ) -> types.TaskView:
        """Passes judgement on completed work.

        Args:
            task: Its id.
            note: Why.
            verdict: approved, revision_needed or rejected.
            with_open_parts: Completes or approves it although parts of it are not done; the task notes
                which.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.verdict", {
            "task": task,
            "note": note,
            "verdict": verdict,
            "with_open_parts": with_open_parts,
            "key": key,
        }, types.TaskView, KEYED)

    def reassign(
        self,
        task: str,
        *,
        to: str,
        reason: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.TaskView:
        """Closes a task and opens a linked one for somebody else.

        Args:
            task: Its id.
            to: Who goes on: a name or id.
            reason: Why.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.reassign", {
            "task": task,
            "to": to,
            "reason": reason,
            "key": key,
        }, types.TaskView, KEYED)

    def redo(
        self,
        task: str,
        *,
        assignee: Optional[str] = None,
        reason: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.TaskView:
        """Makes a new task that does a finished one again.

        Args:
            task: The finished one.
            assignee: Who does it; the same as before when left out.
            reason: What was wrong.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.redo", {
            "task": task,
            "assignee": assignee,
            "reason": reason,
            "key": key,
        }, types.TaskView, KEYED)

    def split(
        self,
        task: str,
        *,
        answer: Optional[Literal["accept", "decline"]] = None,
        into: Union[str, Sequence[str]] = (),
        reason: Optional[str] = None,
        to: Optional[str] = None,
        key: Optional[str] = None,
    ) -> types.TaskView:
        """Proposes to divide a task that is larger than it looked, or answers such a proposal: the parts
        become tasks.

        Args:
            task: Its id.
            answer: The answer to a proposal: accept or decline.
            into: The parts that are proposed, one line each.
            reason: Why, or why not.
            to: Who does the parts when they are accepted: names with commas, in their order; who proposed
                them when left out.
            key: An idempotency key: a call that is repeated with it has no further effect.
        """
        return self._ask("task.split", {
            "task": task,
            "answer": answer,
            "into": texts(into),
            "reason": reason,
            "to": to,
            "key": key,
        }, types.TaskView, KEYED)


class TeamOperations:
    """The team and its rules."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def show(self) -> types.TeamView:
        """Shows the team: formation, rules and seats as they were last taken in."""
        return self._ask("team.show", {}, types.TeamView, READ)

    def take(self, text: str) -> types.TeamView:
        """Takes a team file in: its rules hold from then on, and every agent it lists is registered.

        Args:
            text: The text of `team.toml`.
        """
        return self._ask("team.take", {
            "text": text,
        }, types.TeamView, IDEMPOTENT)


class TemplateOperations:
    """Prompts for agents."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def prompt(
        self,
        agent: str,
        *,
        focus: Optional[str] = None,
        template_path: Optional[str] = None,
    ) -> types.PromptView:
        """Writes the prompt that has an agent bring a project's kickoff template up to date.

        Args:
            agent: For whom: a registered agent, or a kind of client such as claude or kimi.
            focus: What to look at first.
            template_path: Where the template is.
        """
        return self._ask("template.prompt", {
            "agent": agent,
            "focus": focus,
            "template_path": template_path,
        }, types.PromptView, READ)


class TextOperations:
    """Texts that are kept out of git, and texts that were deleted."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def held(
        self,
        *,
        entity: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> types.HeldTextPage:
        """Lists texts that look like secrets and are kept out of git and files. Whoever they were written to
        has them.

        Args:
            entity: Only those of this entity: its id, name or alias; `spec:NAME` too.
            after: Where the page before ended.
            limit: At most so many.
        """
        return self._ask("text.held", {
            "entity": entity,
            "after": after,
            "limit": limit,
        }, types.HeldTextPage, READ)

    def release(self, entity: str, *, reason: Optional[str] = None) -> types.ChangedView:
        """Lets texts of an entity go to git and into files though they look like secrets. Only the operator
        may.

        Args:
            entity: The entity whose held texts are released: its id, name or alias; `spec:NAME` too.
            reason: Why.
        """
        return self._ask("text.release", {
            "entity": entity,
            "reason": reason,
        }, types.ChangedView, IDEMPOTENT)

    def purge(
        self,
        entity: str,
        *,
        containing: Optional[str] = None,
        held: bool = False,
        reason: Optional[str] = None,
    ) -> types.ChangedView:
        """Deletes texts of an entity everywhere; their hashes stay, so the log remains valid. An agent
        deletes what it wrote itself, the operator anything.

        Args:
            entity: The entity whose texts are deleted: its id, name or alias; `spec:NAME` too.
            containing: Only texts that contain this.
            held: Only texts that are held back because they look like secrets.
            reason: Why.
        """
        return self._ask("text.purge", {
            "entity": entity,
            "containing": containing,
            "held": held,
            "reason": reason,
        }, types.ChangedView, IDEMPOTENT)


class Operations:
    """Every operation of the hub, by groups."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.agent = AgentOperations(ask)
        """The agents of the team."""
        self.control = ControlOperations(ask)
        """Clearing, stopping and resuming sessions of agents."""
        self.decision = DecisionOperations(ask)
        """Decisions: questions with options, positions and an outcome."""
        self.edit = EditOperations(ask)
        """Notes of changed files."""
        self.guard = GuardOperations(ask)
        """What a tool call may do."""
        self.lease = LeaseOperations(ask)
        """Leases: who may write which files."""
        self.log = LogOperations(ask)
        """The record of everything that was decided."""
        self.message = MessageOperations(ask)
        """Messages and their way to the recipients."""
        self.offer = OfferOperations(ask)
        """The two steps in which an agent takes its mail."""
        self.review = ReviewOperations(ask)
        """Reviews of changes, in rounds."""
        self.session = SessionOperations(ask)
        """Sessions of coding clients."""
        self.skill = SkillOperations(ask)
        """Skills that the team has learned."""
        self.spec = SpecOperations(ask)
        """Specs: named texts with versions."""
        self.status = StatusOperations(ask)
        """What each agent is doing."""
        self.task = TaskOperations(ask)
        """Tasks, from creation to approval."""
        self.team = TeamOperations(ask)
        """The team and its rules."""
        self.template = TemplateOperations(ask)
        """Prompts for agents."""
        self.text = TextOperations(ask)
        """Texts that are kept out of git, and texts that were deleted."""

    def whoami(self) -> types.IdentityView:
        """Says who the caller is and how that was decided."""
        return self._ask("whoami", {}, types.IdentityView, READ)

    def search(
        self,
        text: str,
        *,
        after: Optional[str] = None,
        author: Optional[str] = None,
        kinds: Union[str, Sequence[str]] = (),
        limit: Optional[int] = None,
        since: Optional[Union[datetime, str]] = None,
        task: Optional[str] = None,
        until: Optional[Union[datetime, str]] = None,
    ) -> types.HitPage:
        """Searches everything that was written.

        Args:
            text: Words (all must be there), "phrases", prefix*, -without.
            after: Where the page before ended.
            author: Written by this member.
            kinds: message, task, spec, decision, review, report or agent.
            limit: At most so many.
            since: From then on.
            task: About this task.
            until: Before then.
        """
        return self._ask("search", {
            "text": text,
            "after": after,
            "author": author,
            "kinds": texts(kinds),
            "limit": limit,
            "since": moment(since),
            "task": task,
            "until": moment(until),
        }, types.HitPage, READ)

    def briefing(self, *, agent: Optional[str] = None, role: bool = False) -> types.BriefingView:
        """Says who an agent is, what its role obliges to, and what is open: what it needs after a restart.

        Args:
            agent: Whose: a name or id; the caller when left out.
            role: The instructions of its role in full, in place of what is open now.
        """
        return self._ask("briefing", {
            "agent": agent,
            "role": role,
        }, types.BriefingView, READ)

    def relay(self, *, agent: Optional[str] = None) -> types.RelayView:
        """Writes the prompt a person pastes to an agent: its role, what waits for it, and the commands for
        each step.

        Args:
            agent: For whom: a name or id; the caller when left out.
        """
        return self._ask("relay", {
            "agent": agent,
        }, types.RelayView, WRITE)

    def summary(self) -> types.SummaryView:
        """Sums the team up: tasks, mail, what needs doing by whom."""
        return self._ask("summary", {}, types.SummaryView, READ)
