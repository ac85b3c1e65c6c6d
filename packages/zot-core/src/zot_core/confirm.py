"""The questions before a tool runs: `Confirm`, a policy of the embedder, and `Permissions`, rules with a mode.

```python
permissions = Permissions("ask", parse_permissions({"deny": ["bash(git push*)"]}, "my program").rules, ask=ask)
permissions.attach(rt.agent)
```
"""

import asyncio
import itertools
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from zot_core.display import DisplayBlock
from zot_core.events import Notice
from zot_core.hooks import Hooks, Observe, Refusal, ToolRequest
from zot_core.permission_mode import MODES, PermissionMode, more_careful
from zot_provider.errors import ZotError
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.agent import Agent
    from zot_core.agent.state import AgentState
    from zot_core.permissions.judge import Judge, Verdict
    from zot_core.permissions.rule import Rule
    from zot_core.permissions.terms import Terms
    from zot_provider.messages import Message

Decision: TypeAlias = bool | str | None
"""True or None allows the call, False refuses it, a string refuses it with that reason for the model."""

Confirm: TypeAlias = Callable[[ToolRequest], Decision | Awaitable[Decision]]
"""Decides whether a call runs, from the arguments that its tool will receive."""


def confirm_gate(confirm: Confirm) -> Callable[[ToolRequest], Awaitable[Refusal | None]]:
    """Return a handler for `Hooks.tool_run` that calls `confirm` with the arguments the tool will receive."""

    async def gate(call: ToolRequest) -> Refusal | None:
        answer = confirm(call)
        decision = await answer if isinstance(answer, Awaitable) else answer
        if decision is False or isinstance(decision, str):
            return Refusal(decision or f"the user did not allow this call of {call.name}")
        return None

    return gate


class PermissionQuestion(Record):
    """A call that needs an answer. `reason` says why, and `always` are the rules that the answer "always" adds; without
    any, that answer means this call only."""

    id: str
    call: ToolRequest
    reason: str
    always: list[str]
    outside: bool = False
    """Whether the call has been allowed, and a sandbox has stopped it: may it run again, outside?"""


class PermissionAnswer(Record):
    """The answer to a question; `message` says to the model why not. `unanswered`: no person has given it."""

    choice: Literal["yes", "always", "no"]
    message: str = ""
    unanswered: bool = False


class PermissionDecision(Record):
    """The fate of a call. `verdict` comes from the rules and the mode, None if nothing had to be judged;
    `answer` is that of a person, None if nobody was asked. `outside`: as in `PermissionQuestion`."""

    call: ToolRequest
    allowed: bool
    verdict: "Verdict | None" = None
    answer: PermissionAnswer | None = None
    outside: bool = False


Answered: TypeAlias = Literal["all", "main", "none"]
"""All agents, the main one without its sub-agents, or none."""

AskPermission: TypeAlias = Callable[[PermissionQuestion], Awaitable[PermissionAnswer]]

SaveRules: TypeAlias = "Callable[[list[str]], Sequence[Rule]]"
"""Stores rules that allow, and returns them parsed. Raises `ZotError`."""

_ids = itertools.count(1)


class Permissions:
    """Decides by `rules` and by the mode whether a call runs, and asks with `ask` where they say so.

    Without `ask`, a call that would be asked about is refused. `save` stores the rules of the answer "always" and
    returns them parsed; without it they hold until the end of the program. In the mode `yolo` and without a rule that
    denies or asks, nothing is judged, and nothing is imported for that. Raises ValueError for a mode that there is not.
    """

    def __init__(
        self,
        mode: PermissionMode = "yolo",
        rules: "Iterable[Rule]" = (),
        *,
        ask: AskPermission | None = None,
        save: "SaveRules | None" = None,
    ) -> None:
        self._mode: PermissionMode = _checked(mode)
        self.rules: Sequence[Rule] = list(rules)
        self.granted: Sequence[Rule] = ()
        """Rules of the running prompt, which may only allow; in the mode plan they do not count."""
        self._ask = ask
        self._answered: Answered = "all"
        self._save = save or _parsed
        self.changed: Observe[PermissionMode] = Observe()
        """The mode has changed."""
        self.asked: Observe[PermissionQuestion] = Observe()
        """A person is about to be asked."""
        self.decided: Observe[PermissionDecision] = Observe()
        """A call may run, or was refused."""
        self._question = asyncio.Lock()
        self._kept: Judge | None = None

    @property
    def mode(self) -> PermissionMode:
        """The mode; it can be changed at any time, and counts from the next call on."""
        return self._mode

    @mode.setter
    def mode(self, mode: PermissionMode) -> None:
        if mode != self._mode:
            self._mode = _checked(mode)
            self.changed.notify(mode)

    @property
    def judge(self) -> "Judge":
        """The judge of calls, with the current rules and mode."""
        if self._kept is None:
            from zot_core.permissions.judge import Judge  # noqa: PLC0415  not in the mode yolo

            self._kept = Judge()
        granted = self.granted if self._mode != "plan" else ()
        self._kept.rules, self._kept.mode = [*self.rules, *granted], self._mode
        return self._kept

    @property
    def ask(self) -> AskPermission | None:
        """Asks a person; None where nobody can be asked."""
        return self._ask

    def ask_with(self, ask: AskPermission | None, answered: Answered = "all") -> None:
        """Ask with `ask` from now on. `answered`: whose questions a person answers; `ask` refuses the others."""
        self._ask, self._answered = ask, answered

    def follow(self, other: "Permissions") -> None:
        """Take the rules of `other`, and store rules where it does."""
        self.rules, self._save = other.rules, other._save

    def attach(self, agent: "Agent") -> None:
        """Judge the calls of an agent, after the hooks that were added before, and tell its model about that."""
        hooks: Hooks = agent.hooks
        hooks.tool_run.add(lambda call: self.check(call, agent))
        self.tell(agent)

    def tell(self, agent: "Agent", careful: PermissionMode = "yolo", *, is_sub: bool = False) -> None:
        """Tell the model of an agent what it may do: see `Terms`."""
        terms: Terms | None = None

        def news(_: int) -> "list[Message]":
            from zot_core.permissions.terms import Allowed, Terms  # noqa: PLC0415  not before the first request

            nonlocal terms
            terms = terms or Terms(agent)
            held = [rule.text for rule in self.rules if rule.action != "allow"]
            alone = self.ask is None or self._answered not in (("all",) if is_sub else ("all", "main"))
            return terms.news(Allowed(more_careful(self._mode, careful), held, alone, is_sub))

        agent.hooks.extra_messages.add(news)

    async def check(self, call: ToolRequest, agent: "Agent") -> Refusal | None:
        """Return why a call must not run; None if it may."""
        verdict: Verdict | None = None
        answer: PermissionAnswer | None = None
        if self._mode != "yolo" or any(rule.action != "allow" for rule in self.rules):
            verdict, answer = await self._decide(call, agent)
        refusal = None if verdict is None else _refusal(call, verdict, answer)
        if verdict is not None and verdict.action == "allow" and verdict.git:
            from zot_core.machine.git import quiet_environment  # noqa: PLC0415  few calls run git by a rule

            base = {} if agent.context.home else os.environ | agent.context.env
            call.env.update(quiet_environment(base, reads=verdict.git == "reads"))
        self.decided.notify(PermissionDecision(call, refusal is None, verdict, answer))
        return refusal

    async def _decide(self, call: ToolRequest, agent: "Agent") -> "tuple[Verdict, PermissionAnswer | None]":
        """Judge a call, and ask about it where the verdict says so."""
        async with self._question:  # one question at a time; its answer may settle the next call
            if self._kept is None:  # in a thread: who types meanwhile must not find that keys came late
                await asyncio.to_thread(_load_judge)
                await asyncio.sleep(0)  # keys that waited for the interpreter meanwhile come before the question
                for line in self.judge.unknown_tools([*agent.tools, *_builtin_names()], similar=True):
                    agent.emit(Notice("warn", line))
            verdict = await self.judge.judge(call, agent)
            if verdict.action != "ask" or self.ask is None:
                return verdict, None
            reason = f"{verdict.reason}; extension {call.by} makes it" if call.by else verdict.reason
            reason += f"; the agent works in {call.cwd}" if call.cwd not in ("", agent.context.cwd) else ""
            question = PermissionQuestion(f"permission-{next(_ids)}", call, reason, verdict.always)
            self.asked.notify(question)
            answer = await self.ask(question)
            if answer.choice == "always" and verdict.always:
                self.rules = [*self.rules, *self._kept_rules(verdict.always, agent)]
            return verdict, answer

    async def offer(self, command: str, reason: str) -> bool:
        """Ask whether a command of the tool bash that a sandbox has stopped runs again outside, in every mode."""
        call = ToolRequest(f"outside-{next(_ids)}", "bash", {"command": command})
        return await self._ask_once(
            call, f"the sandbox stopped it: {reason}; may it run again, outside the sandbox?", outside=True
        )

    async def ask_about(self, call: ToolRequest, reason: str) -> bool:
        """Ask about a call that a hook program wants the person to judge, in every mode."""
        return await self._ask_once(call, reason)

    async def _ask_once(self, call: ToolRequest, reason: str, *, outside: bool = False) -> bool:
        if self.ask is None:
            return False
        question = PermissionQuestion(f"permission-{next(_ids)}", call, reason, [], outside=outside)
        async with self._question:
            if not outside:
                self.asked.notify(question)
            answer = await self.ask(question)
        self.decided.notify(PermissionDecision(call, answer.choice != "no", None, answer, outside=outside))
        return answer.choice != "no"

    def _kept_rules(self, rules: list[str], agent: "Agent") -> "Sequence[Rule]":
        try:
            return self._save(rules)
        except ZotError as error:  # the answer was a yes
            agent.emit(Notice("warn", f"always holds until zot ends, because the rule cannot be kept: {error}"))
            return _parsed(rules)


def _checked(mode: PermissionMode) -> PermissionMode:
    if mode not in MODES:
        raise ValueError(f"mode: expected one of {', '.join(MODES)}, got {mode!r}")
    return mode


def _refusal(call: ToolRequest, verdict: "Verdict", answer: PermissionAnswer | None) -> Refusal | None:
    if verdict.action == "allow" or (answer is not None and answer.choice != "no"):
        return None
    if answer is None or answer.unanswered:
        nobody = "nobody can be asked" if answer is None else answer.message or "there was no answer"
        return Refusal(f"not allowed: {verdict.reason}" + (f", and {nobody}" if verdict.action == "ask" else ""))
    why = f": {answer.message}" if answer.message else ""
    return Refusal(f"the user did not allow this call of {call.name}{why}")


def _load_judge() -> None:
    """Import what judges calls, which takes 30 ms."""
    from zot_core.permissions import judge, shell_line  # noqa: F401, PLC0415  not in the mode yolo

    shell_line.read_line("")


def _builtin_names() -> list[str]:
    from zot_core.tools import BUILTIN_TOOLS  # noqa: PLC0415  not in the mode yolo

    return [each.name for each in BUILTIN_TOOLS]


def _parsed(rules: "list[str]") -> "Sequence[Rule]":
    from zot_core.permissions.rule import parse_rule  # noqa: PLC0415  not in the mode yolo

    return [parse_rule("allow", each) for each in rules]


async def preview(agent: "AgentState", call: ToolRequest) -> list[DisplayBlock]:
    """Return what a call would change, empty if its tool cannot say. Raises ToolError for a call that would fail."""
    tool = agent.tools.get(call.name)
    context = agent.context.replace(cwd=call.cwd or agent.context.cwd)
    return [] if tool is None else await tool.preview(call.arguments, context)
