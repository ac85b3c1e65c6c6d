"""`Compactor`: compacts the history of one agent, on request or when the context window is nearly full."""

import logging
import math
import re
from typing import TYPE_CHECKING

from zot_core.agent.sent_history import SentHistory
from zot_core.clock import timestamp
from zot_core.compaction.size import ContextSize, estimate
from zot_core.compaction.window import ContextWindows
from zot_core.errors import Refused, SessionError, error_line
from zot_core.events import CompactDone, CompactReason, CompactStart, Notice
from zot_core.hooks import Compaction, CompactionPlan, ModelCallFailure
from zot_provider.errors import ConfigError, ProviderError, ZotError
from zot_provider.messages import Block, Message, TextBlock, new_entry_id
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.agent import Agent
    from zot_core.compaction.short_texts import ShortenedTexts

_log = logging.getLogger("zot_core.compaction")

_LOOK_UP_ABOVE = 8000
"""Tokens of a conversation from which on it matters how large a window is that is only guessed."""

_SMALLEST_WINDOW = 2048

_QUESTION = 1024
"""Tokens of the question for a summary."""


class CompactionLimits(Record):
    """When a conversation is compacted, and what is kept.

    `threshold`: the fraction of the context window at which it happens automatically, None for never. `after_run`: also
    check at the end of a run, so that the next prompt need not wait; useless to a program with a single prompt. `keep`:
    messages kept at the end. `summary_tokens`: maximum length of the summary. `result_characters`: maximum length of a
    tool result, or of the arguments of a call, in the request for the summary. `keep_tokens`: maximum size of the kept
    messages, which is also at most half of the window. `answer_tokens`: room that an answer needs, if the
    threshold leaves that number of tokens. `cache_seconds`: how long a cache keeps a conversation.
    """

    threshold: float | None = 0.85
    after_run: bool = True
    keep: int = 4
    summary_tokens: int = 4096
    result_characters: int = 2000
    keep_tokens: int = 20_000
    answer_tokens: int = 8192
    cache_seconds: float = 300

    def check(self) -> None:
        """Raise `ConfigError` for invalid limits."""
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise ConfigError(f"auto_compact must be above 0 and at most 1, got {self.threshold}")
        for name in ("keep", "keep_tokens", "summary_tokens", "result_characters"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} of compaction must be at least 1, got {getattr(self, name)}")


class CompactionError(ZotError):
    """The conversation could not be compacted and is unchanged."""


class NothingToCompact(CompactionError):
    """There are no messages to replace with a summary."""


class Compactor:
    """Replaces all but the last messages of the history with a summary written by the agent's model.

    The session file and the history change together at the very end: a failure or cancellation before leaves both
    unchanged. Texts of the last messages that are too long are shortened where they are sent.
    """

    def __init__(self, agent: "Agent", limits: CompactionLimits | None = None, sent: SentHistory | None = None) -> None:
        """`sent` is attached by the caller. Raises `ConfigError` for invalid limits."""
        self._agent = agent
        self._sent = sent or SentHistory(agent)
        if sent is None:
            self._sent.attach()
        self._limits = limits or CompactionLimits()
        self._limits.check()
        self.window = ContextWindows(agent)
        self._size = ContextSize(agent, self._sent)
        self._attached = False
        self._shortened: ShortenedTexts | None = None
        self._tried_at: Message | None = None

    async def compact(self, reason: CompactReason = "manual", instructions: str = "") -> None:
        """Compact now; `instructions` say what the summary should keep. Emits `compact_start`, `usage` and
        `compact_done`.

        Raises `NothingToCompact` before any event, or `CompactionError`, `SessionError` and what the client raises.
        """
        from zot_core.compaction.cut import bounded_cut, cut_point  # noqa: PLC0415  few conversations get so long
        from zot_core.compaction.kept_facts import kept_facts  # noqa: PLC0415  as above
        from zot_core.compaction.summary import HEADING, NOTES_HEADING  # noqa: PLC0415  as above

        agent, limits = self._agent, self._limits
        revision, messages = agent.history.revision, agent.history.messages
        window = self.window.current.tokens
        keep_tokens = min(limits.keep_tokens, window // 2) if window else limits.keep_tokens
        cut = cut_point(messages, limits.keep)
        if estimate(self._sent.view(messages[cut:])) > keep_tokens:
            self._shorten(messages[cut:], keep_tokens)
            cut = bounded_cut(self._sent.view(messages), cut, keep_tokens)
        _check(messages, cut)
        before = estimate(messages)
        plan = CompactionPlan(reason, messages, len(messages) - cut, before, instructions)
        if agent.hooks.compaction:
            try:
                plan = await agent.hooks.compaction.apply(plan)
            except Refused as refused:
                raise CompactionError(f"the conversation was not compacted: {refused}") from None
            cut = len(messages) - plan.kept
        agent.emit(CompactStart(reason, len(messages), before))
        text = plan.summary or await self._summary(plan, messages[:cut])
        if not text:
            raise CompactionError("empty summary from model")
        facts = await kept_facts(agent, messages[:cut])
        if agent.history.revision != revision:
            raise CompactionError("the conversation changed while its summary was being written; try again")
        text = "\n\n".join([text, *self._carried(messages)])
        # Nothing is awaited from here on, so the change cannot be cancelled half-way.
        computed = facts.text()
        content: list[Block] = [TextBlock(f"{HEADING}\n\n{computed}"), TextBlock(f"{NOTES_HEADING}\n\n{text}")]
        summary = Message(
            "user",
            content if computed else [TextBlock(f"{HEADING}\n\n{text}")],
            timestamp(),
            summarized_tokens=before,
            found_tools=tuple(name for tool in self._agent.tools.values() for name in tool.found_tools()),
            kept=facts.json(),
            id=new_entry_id(),
        )
        kept = messages[cut:]
        agent.hooks.compacted.notify(Compaction(summary, len(kept)))
        agent.history.reset([summary, *kept])
        agent.emit(CompactDone(text, len(kept), before, estimate([summary, *kept])))

    async def _summary(self, plan: CompactionPlan, messages: list[Message]) -> str:
        """Ask for the summary of `messages`: in the conversation, which the server then reads from its cache, or else
        in a request of its own. An answer without text is asked for again, once."""
        from zot_core.compaction.summary import summarise, summarise_in_place  # noqa: PLC0415  as above

        agent, limits, window = self._agent, self._limits, self.window.current.tokens
        hours = 12 if agent.cache_time == "1h" else 1
        fits = not window or not self._size.exceeds(window - limits.summary_tokens - _QUESTION)
        text = ""
        if plan.reason != "overflow" and fits and self._size.cached(limits.cache_seconds * hours):
            try:
                text = await summarise_in_place(agent, plan.kept, plan.instructions)
            except ProviderError as error:
                if not error.context_overflow:
                    raise
            if text:
                return text
        for _ in range(2):
            text = text or await summarise(
                agent,
                messages,
                window=window,
                max_tokens=limits.summary_tokens,
                result_characters=limits.result_characters,
                instructions=plan.instructions,
            )
        return text

    def _carried(self, messages: list[Message]) -> list[str]:
        """Return what the model must still know of earlier calls, such as a list of what is to be done."""
        carried = (tool.carry(messages) for _, tool in sorted(self._agent.tools.items()))
        return [each.text for each in carried if each and each.text]

    def attach(self) -> None:
        """Compact automatically from now on: before a turn, before the calls of an answer, and at the end of a run if
        the history has reached the threshold, and when a provider rejects the conversation as too long, before the call
        is repeated. While the model has not read results, that happens only if the next request would not fit."""
        if self._limits.threshold is not None and not self._attached:
            self._attached = True
            self._agent.hooks.before_calls.add(self._before_calls)
            self._agent.hooks.before_turn.add(self._before_turn)
            self._agent.hooks.call_failed.add(self._on_call_failed)
            if self._limits.after_run:
                self._agent.hooks.before_stop.add(self._before_stop)

    def set_threshold(self, threshold: float | None) -> None:
        """Compact automatically at this fraction of the context window from now on, None for never. Raises
        `ConfigError`."""
        limits = self._limits.replace(threshold=threshold)
        limits.check()
        self._limits = limits
        self.attach()

    async def _before_turn(self, _: int) -> None:
        window = self.window.current
        if window.guessed and self._size.exceeds(_LOOK_UP_ABOVE):
            await self.window.look_up()
            window = self.window.current
        unread = _unread_results(self._agent.history.messages)
        full = self._overfull(window.tokens) if unread else self._full(window.tokens)
        if full and not self._tried_recently():
            done = await self._try("threshold")
            if done and unread:
                text = "the conversation was compacted before the model has read its last results: they did not fit"
                self._agent.emit(Notice("warn", text))

    async def _before_calls(self, _: int) -> None:
        await self._before_stop(0)

    async def _before_stop(self, step: int) -> None:
        try:
            await self._before_turn(step)
        except SessionError as error:  # no later step of the run would report it
            self._agent.emit(Notice("error", error_line(error)))

    async def _on_call_failed(self, failure: ModelCallFailure) -> ModelCallFailure | None:
        if failure.retry or not failure.error.context_overflow or self._limits.threshold is None:
            return None
        named = _window(failure.error)
        self.window.learn(named)
        before, window = self._size.tokens(), named or self.window.current.tokens
        done = await self._try("overflow")
        # The server counts other tokens than zot estimates, so what is left must be much less than was refused.
        target = min(before, window or before) // 2
        messages = self._agent.history.messages
        others = self._size.tokens() - estimate(self._sent.view(messages))
        if self._size.tokens() > target:
            done = self._shorten(messages, max(target - others, 0)) or done
        return failure.replace(retry=True) if done else None

    def _shorten(self, messages: list[Message], tokens: int) -> bool:
        """Shorten long texts in these messages to about `tokens`. Return whether any got shorter."""
        if self._shortened is None:
            from zot_core.compaction.short_texts import ShortenedTexts  # noqa: PLC0415  as above

            self._shortened = ShortenedTexts(self._sent, lambda: self._agent.context.temporary)
        count = self._shortened.fit(messages, tokens)
        if count:
            self._size.forget()
            what = "a long text" if count == 1 else f"{count} long texts"
            self._agent.emit(Notice("warn", f"the model gets only both ends of {what}, to fit its context window"))
        return bool(count)

    def _full(self, window: int) -> bool:
        threshold = self._limits.threshold
        return window > 0 and threshold is not None and self._size.exceeds(math.ceil(threshold * window) - 1)

    def _overfull(self, window: int) -> bool:
        """Whether the next request would leave no room for an answer in a `window` of tokens."""
        threshold = self._limits.threshold
        if not window or threshold is None:
            return False
        return self._size.exceeds(window - min(self._limits.answer_tokens, int(window * (1 - threshold))))

    def _tried_recently(self) -> bool:
        """Return whether an attempt in the last `keep` messages had no effect: another one would have none either."""
        recent = self._agent.history.messages[-self._limits.keep :]
        return any(message is self._tried_at for message in recent)

    async def _try(self, reason: CompactReason) -> bool:
        """Compact and return whether it succeeded. A failed summary does not end the run."""
        done = False
        try:
            await self.compact(reason)
            done = True
        except SessionError:
            raise
        except NothingToCompact:
            pass
        except Exception as error:  # noqa: BLE001  around a hook
            _log.warning("compaction failed", exc_info=error)
            self._agent.emit(Notice("warn", f"the conversation could not be compacted: {error_line(error)}"))
        if not done or self._full(self.window.current.tokens):
            self._tried_at = self._agent.history.messages[-1]
        return done


def _unread_results(messages: list[Message]) -> bool:
    """Return whether the model has not answered since the last results came."""
    return next((each.role for each in reversed(messages) if each.role != "user"), "") == "tool"


def _window(error: ProviderError) -> int:
    """Return the context window that the text of an error names, in tokens; 0 if it names none. Years and numbers of
    models are less than the smallest window."""
    numbers = [int(digits) for digits in re.findall(r"(?<!\d)\d{4,7}(?!\d)", str(error).replace(",", ""))]
    return min((number for number in numbers if number >= _SMALLEST_WINDOW), default=0)


def _check(messages: list[Message], cut: int) -> None:
    """Raise `NothingToCompact` if there are no messages before the cut, or only an earlier summary."""
    if not messages:
        raise NothingToCompact("nothing to compact")
    if not cut or (cut == 1 and messages[0].summarized_tokens is not None):
        raise NothingToCompact("nothing to compact: keep-tail covers the whole transcript")
