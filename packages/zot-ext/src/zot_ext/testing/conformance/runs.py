"""The runs of a check. Each starts its own process, so that a failure of one run does not hide findings of others;
what a sound program takes is tried in one run before."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_extension import CAPABILITIES, CommandResponse, Hello
from zot_ext.protocol.from_host import HelloAck, PanelClose, PanelKey
from zot_ext.protocol.groups.providers import ProviderEvent
from zot_ext.protocol.groups.tool_ops import OpResponse
from zot_ext.testing.conformance.findings import finding
from zot_ext.testing.conformance.judge import GRANTED_FRAMES, judge_lines, judge_replies
from zot_ext.testing.conformance.probes import ALL_AT_ONCE, PROBES
from zot_ext.testing.conformance.requests import events, read_registered, requests
from zot_ext.testing.conformance.session import CheckSession

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zot_ext.limits import ExtensionLimits
    from zot_ext.testing.conformance.findings import CheckFinding
    from zot_ext.testing.conformance.probes import Probe
    from zot_ext.testing.conformance.requests import Registered
    from zot_ext.testing.conformance.session import CheckRequest
    from zot_ext.testing.conformance.target import CheckTarget


class CheckRuns:
    """Runs the program of a target again and again, and collects the findings."""

    def __init__(
        self, target: CheckTarget, limits: ExtensionLimits, folder: str, environ: Mapping[str, str], *, calls: bool
    ) -> None:
        """`folder` is for files of the extension and of the check. Without `calls` no request is sent."""
        self.findings: list[CheckFinding] = []
        self.name = target.name
        self.registered: Registered = read_registered([])
        self._target = target
        self._limits = limits
        self._folder = folder
        self._environ = environ
        self._calls = calls
        self._obeys_shutdown = True
        self._says_ready = True
        self._answered: CheckRequest | None = None
        """A request that was answered correctly: the probes send similar ones."""
        self._needs_grants = False
        self._expected: set[str] = set()
        self._session: CheckSession | None = None

    def run(self) -> None:
        """Do all runs, or only the first if the program already fails in that."""
        if not self._full_run():
            return
        if not self._takes_all_at_once():
            for probe in PROBES:
                if self._answered is not None or not probe.text:
                    self._probe(probe)
        self._early_ack()
        self._late_ack()
        if self._needs_grants:
            self._original_host()
        self._end_of_input()

    def close(self) -> None:
        """End the program, which may still run after an interruption."""
        if self._session is not None:
            self._session.close()

    # The run that sends all requests

    def _full_run(self) -> bool:
        session = self._start(CAPABILITIES)
        if session is None:
            return False
        went_well = self._greet(session)
        if went_well:
            before = len(self.findings)
            self._expected = read_registered(session.lines).entries()
            self._ask_everything(session)
            self._end(session)
            went_well = all(each.rule != "exited-early" for each in self.findings[before:])
        session.close()
        self._needs_grants = any(type(line.frame) in GRANTED_FRAMES for line in session.lines)
        self.registered = read_registered(session.lines)
        return went_well

    def _greet(self, session: CheckSession) -> bool:
        limit = self._limits.hello_seconds
        if not session.wait(lambda: bool(session.lines), limit):
            text = (
                f"no frame within {limit:g} s" if not session.ended else f"it ended before hello{_exit_text(session)}"
            )
            self._add("no-hello", text)
            return False
        first = session.lines[0]
        if first.error is not None and first.error.frame == Hello.type:
            self._add("wrong-field-type", str(first.error), first.raw)
            return False
        if not isinstance(first.frame, Hello):
            text = "the first line on standard output is not hello; hosts end the extension here"
            self._add("hello-not-first", text, first.raw)
            return False
        name = first.frame.name
        if not name.strip():
            self._add("empty-name", "hello has no name; hosts end the extension here", first.raw)
            return False
        if self.name and name != self.name:
            self._add("name-mismatch", f"hello says {name!r}, the manifest {self.name!r}; the manifest wins", first.raw)
        self.name = self.name or name
        session.greet()
        session.settle(says_ready=True)
        self._says_ready = session.sent_ready()
        if not self._says_ready and not session.ended:
            self._add("no-ready", "ready was not sent; hosts wait for silence instead")
        return True

    def _ask_everything(self, session: CheckSession) -> None:
        if not self._calls:
            return
        for group in requests(session, read_registered(session.lines)):
            for request in group:
                if not session.ask(request):
                    break
                self._use_panel(session, request)
                if (
                    self._answered is None
                    and request.reply not in (ProviderEvent, OpResponse)
                    and session.replied(request)
                ):
                    self._answered = request
            if session.ended:
                return
        for name, frame in events(read_registered(session.lines)):
            session.write(frame, f"event {name!r}")
        session.wait(lambda: False, self._limits.ready_idle_seconds)  # events have no replies, and may have effects
        if list(judge_replies(session, died=False)):
            session.wait(lambda: False, self._limits.drain_seconds)  # late replies may be on their way

    def _use_panel(self, session: CheckSession, request: CheckRequest) -> None:
        for line in session.lines:
            reply = line.frame
            if isinstance(reply, CommandResponse) and reply.id == request.id and reply.open_panel is not None:
                panel = reply.open_panel.id
                for frame in (PanelKey(panel, "down"), PanelKey(panel, "rune", "é"), PanelClose(panel)):
                    session.write(encode(frame), f"{frame.type} after {request.what}")

    # Runs that probe one rule

    def _takes_all_at_once(self) -> bool:
        """Whether a single run with all probes finds nothing that is not known: most programs are sound."""
        before = self.findings
        self.findings = []
        self._probe(ALL_AT_ONCE)
        found = {each.rule for each in self.findings}
        self.findings = before + [each for each in self.findings if each.rule != ALL_AT_ONCE.rule]
        return found <= {each.rule for each in before}

    def _early_ack(self) -> None:
        self._check_registrations("hello_ack before hello", CheckSession.greet, lambda session: None)

    def _late_ack(self) -> None:
        def greet(session: CheckSession) -> None:
            session.wait(lambda: False, 2 * self._limits.ready_idle_seconds)
            session.greet()

        self._check_registrations("hello_ack long after hello", lambda session: None, greet)

    def _check_registrations(
        self, when: str, first: Callable[[CheckSession], None], then: Callable[[CheckSession], None]
    ) -> None:
        session = self._start()
        if session is None:
            return
        first(session)
        session.wait(lambda: bool(session.lines), self._limits.hello_seconds)
        then(session)
        expected = self._expected
        if not session.wait(
            lambda: expected <= read_registered(session.lines).entries(), self._limits.ready_total_seconds
        ):
            missing = sorted(expected - read_registered(session.lines).entries())
            ended = f"; it ended{_exit_text(session)}" if session.ended else ""
            self._add("depends-on-ack-time", f"with {when} it did not register {', '.join(missing)}{ended}")
        self._end(session)
        session.close()

    def _original_host(self) -> None:
        """Send all requests again as a host that grants nothing, to find frames that need a grant."""
        session = self._start()
        if session is None:
            return
        session.wait(lambda: bool(session.lines), self._limits.hello_seconds)
        session.greet()
        session.settle(says_ready=self._says_ready)
        for group in requests(session, read_registered(session.lines)):
            session.ask(group[-1])
        self._end(session)
        session.close()

    def _end_of_input(self) -> None:
        session = self._start()
        if session is None:
            return
        session.wait(lambda: bool(session.lines), self._limits.hello_seconds)
        session.greet()
        session.settle(says_ready=self._says_ready)
        session.end_input()
        seconds = self._limits.shutdown_seconds + self._limits.kill_seconds
        if not session.exited(seconds):
            self._add("ignores-end-of-input", f"it still runs {seconds:g} s after its input has ended")
        else:
            self._leftovers(session)
        session.close()

    def _probe(self, probe: Probe) -> None:
        """Do one run that succeeds unless the extension breaks a rule."""
        session = self._start()
        if session is None:
            return
        session.wait(lambda: bool(session.lines), self._limits.hello_seconds)
        probe.greet(session)
        session.settle(says_ready=self._says_ready)
        if self._target.remember:
            others = sorted(read_registered(session.lines).entries() ^ self._expected)
            if others and not session.ended:
                self._add("not-the-same", f"only some starts register {', '.join(others)}")
        answered = probe.ask(session, self._answered)
        if self._answered is None and not self._obeys_shutdown:  # nothing shows that it has read what was sent
            session.wait(lambda: False, self._limits.ready_idle_seconds)
        if not (answered or session.ended):
            self._add(probe.rule, f"it did not answer {session.last}")
        else:
            self._end(session, probe.rule)
        session.close()

    # Start and end of each run

    def _start(self, capabilities: tuple[str, ...] = ()) -> CheckSession | None:
        ack = HelloAck(1, "zot-check", "check", "check", self._folder, self._target.folder, self._folder, capabilities)
        log = os.path.join(self._folder, "stderr.log")
        try:
            self._session = CheckSession(self._target, self._limits, ack, log, self._environ)
            return self._session
        except OSError as error:
            self._add("cannot-start", f"{self._target.command[0]}: {error.strerror}")
            return None

    def _end(self, session: CheckSession, rule: str = "exited-early") -> None:
        """Ask the program to end, then judge its output. If it ends by itself, it breaks `rule`."""
        if died := session.ended:
            self._add(rule, f"it ended after {session.last}{_exit_text(session)}")
        elif self._obeys_shutdown:
            died = not self._shut_down(session, rule)
        self.findings += judge_lines(session)
        self.findings += judge_replies(session, died=died)

    def _shut_down(self, session: CheckSession, rule: str) -> bool:
        """Return whether what was sent before has not ended the program."""
        limits, sent = self._limits, session.last
        in_time = session.shut_down()
        if not session.exited(limits.shutdown_seconds):
            how = "was acknowledged" if in_time else "was not acknowledged"
            self._add("ignores-shutdown", f"shutdown {how}, and it still runs after {limits.shutdown_seconds:g} s")
            self._obeys_shutdown = False
            return True
        how = _exit_text(session)
        acknowledged = session.wait(session.acknowledged, limits.kill_seconds)  # it may come just before the exit
        self._leftovers(session)
        if acknowledged:
            if session.process.returncode:
                self._add("exit-status", f"it ended{how}")
            return True
        session.close()
        if self._acknowledges():
            self._add(rule, f"it ended after {sent}{how}")
            return False
        self._add("no-shutdown-ack", f"it ended without shutdown_ack{how}")
        return True

    def _acknowledges(self) -> bool:
        """Whether it acknowledges a shutdown before which nothing is sent."""
        session = self._start()
        if session is None:
            return False
        session.wait(lambda: bool(session.lines), self._limits.hello_seconds)
        session.greet()
        session.settle(says_ready=self._says_ready)
        acknowledged = session.shut_down()
        session.close()
        return acknowledged

    def _leftovers(self, session: CheckSession) -> None:
        if session.group():
            self._add("leaves-process", "processes it started outlived it")

    def _add(self, rule: str, text: str, line: bytes = b"") -> None:
        self.findings.append(finding(rule, text, line))


def _exit_text(session: CheckSession) -> str:
    if not session.exited(session.limits.kill_seconds):
        return ": it closed its standard output"
    code = session.process.returncode
    words = session.last_words()
    how = f" by signal {-code}" if code < 0 else f" with status {code}"
    return how + (f": {words}" if words else "")
