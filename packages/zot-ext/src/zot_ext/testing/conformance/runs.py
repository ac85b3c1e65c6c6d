"""The conversations of a check, each with a program of its own: so that what breaks one hides nothing of the others."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_extension import CAPABILITIES, CommandResponse, Hello, OpenPanel, ShutdownAck, Submit
from zot_ext.protocol.from_host import HelloAck, PanelClose, PanelKey, Shutdown
from zot_ext.testing.conformance.findings import finding
from zot_ext.testing.conformance.judge import judge_lines, judge_replies
from zot_ext.testing.conformance.requests import LARGE, ODD, carrier, events, read_registered, requests
from zot_ext.testing.conformance.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zot_ext.limits import Limits
    from zot_ext.testing.conformance.findings import Finding
    from zot_ext.testing.conformance.requests import Registered
    from zot_ext.testing.conformance.session import Request
    from zot_ext.testing.conformance.target import Target

UNKNOWN = b'{"type":"zot_check_unknown","id":"check-0","value":{"nested":[1,null,"text"]}}\n'
"""A frame that no host sends today."""
_EXTRA = '"zot_check_unknown":{"nested":[1,null]}'
_PIECE_SECONDS = 0.001


class Conversations:
    """Runs the program of one target again and again, and keeps what every run showed."""

    def __init__(self, target: Target, limits: Limits, folder: str, environ: Mapping[str, str], *, calls: bool) -> None:
        """`folder` is for the files of the extension and of the check. Without `calls` no request is made."""
        self.findings: list[Finding] = []
        self.name = target.name
        self.registered: Registered = read_registered([])
        self._target = target
        self._limits = limits
        self._folder = folder
        self._environ = environ
        self._calls = calls
        self._polite = True
        self._asked: Request | None = None
        """A request that was answered as it should be: others like it probe the rest."""
        self._gated = False
        self._expected: set[str] = set()
        self._session: Session | None = None

    def run(self) -> None:
        """Hold all conversations, and stop after the first when the program cannot even hold that."""
        if not self._main():
            return
        for probe in (
            self._unknown_frame,
            self._unknown_field,
            self._joined_frames,
            self._cut_frames,
            self._early_ack,
            self._late_ack,
        ):
            probe()
        if self._asked is not None:
            self._text("breaks-on-non-ascii", ODD)
            self._text("breaks-on-large-argument", "zot " * (LARGE // 4))
        if self._gated:
            self._original_host()
        self._end_of_input()

    def close(self) -> None:
        """End the program that may still run after an interruption."""
        if self._session is not None:
            self._session.close()

    # The conversation that asks for everything

    def _main(self) -> bool:
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
        self._gated = any(isinstance(line.frame, (Submit, OpenPanel)) for line in session.lines)
        self.registered = read_registered(session.lines)
        return went_well

    def _greet(self, session: Session) -> bool:
        limit = self._limits.hello_seconds
        if not session.wait(lambda: bool(session.lines), limit):
            text = f"no frame within {limit:g} s" if not session.ended else f"it ended before hello{_why(session)}"
            self._add("no-hello", text)
            return False
        first = session.lines[0]
        if first.error is not None and first.error.frame == Hello.type:
            self._add("wrong-field-type", str(first.error), first.raw)
            return False
        if not isinstance(first.frame, Hello):
            self._add("hello-not-first", "the first line on standard output is not hello; hosts end it here", first.raw)
            return False
        name = first.frame.name
        if not name.strip():
            self._add("empty-name", "hello has no name; hosts end it here", first.raw)
            return False
        if self.name and name != self.name:
            self._add("name-mismatch", f"hello says {name!r}, the manifest {self.name!r}, which counts", first.raw)
        self.name = self.name or name
        session.greet()
        session.settle()
        if not session.sent_ready() and not session.ended:
            self._add("no-ready", "ready was not sent; hosts wait for silence instead")
        return True

    def _ask_everything(self, session: Session) -> None:
        if not self._calls:
            return
        for group in requests(session, read_registered(session.lines)):
            for request in group:
                if not session.ask(request):
                    break
                self._use_panel(session, request)
                if self._asked is None and session.replied(request):
                    self._asked = request
            if session.ended:
                return
        for name, frame in events(read_registered(session.lines)):
            session.write(frame, f"event {name!r}")
        # Nothing is answered to events; whom they kill, they kill soon.
        session.wait(lambda: False, self._limits.ready_idle_seconds)
        if list(judge_replies(session, died=False)):
            session.wait(lambda: False, self._limits.drain_seconds)  # late replies may be under way

    def _use_panel(self, session: Session, request: Request) -> None:
        for line in session.lines:
            reply = line.frame
            if isinstance(reply, CommandResponse) and reply.id == request.id and reply.open_panel is not None:
                panel = reply.open_panel.id
                for frame in (PanelKey(panel, "down"), PanelKey(panel, "rune", "é"), PanelClose(panel)):
                    session.write(encode(frame), f"{frame.type} after {request.what}")

    # Conversations that probe one thing

    def _unknown_frame(self) -> None:
        def ask(session: Session, asked: Request | None) -> bool:
            session.write(UNKNOWN, "a frame of an unknown type")
            return asked is None or session.ask(carrier(session, asked))

        self._probe("breaks-on-unknown-frame", ask)

    def _unknown_field(self) -> None:
        def greet(session: Session) -> None:
            session.write(encode(session.ack)[:-2] + f",{_EXTRA}}}\n".encode(), "hello_ack with an unknown field")

        def ask(session: Session, asked: Request | None) -> bool:
            return asked is None or session.ask(carrier(session, asked, extra=_EXTRA))

        self._probe("breaks-on-unknown-field", ask, greet)

    def _joined_frames(self) -> None:
        def ask(session: Session, asked: Request | None) -> bool:
            return asked is None or session.ask(carrier(session, asked), carrier(session, asked))

        self._probe("breaks-on-joined-frames", ask)

    def _cut_frames(self) -> None:
        def drip(session: Session, data: bytes, what: str) -> None:
            for at in range(len(data)):
                session.write(data[at : at + 1], what)
                time.sleep(_PIECE_SECONDS)  # so that the program reads what is there, and that is not a line

        def ask(session: Session, asked: Request | None) -> bool:
            if asked is None:
                return True
            request = carrier(session, asked)
            drip(session, request.line[:-1], request.what)
            request.line = request.line[-1:]
            return session.ask(request)

        self._probe("breaks-on-cut-frames", ask, lambda session: drip(session, encode(session.ack), "hello_ack"))

    def _text(self, rule: str, text: str) -> None:
        def ask(session: Session, asked: Request | None) -> bool:
            return asked is None or session.ask(carrier(session, asked, text))

        self._probe(rule, ask)

    def _early_ack(self) -> None:
        self._registers_alike("hello_ack before hello", Session.greet, lambda session: None)

    def _late_ack(self) -> None:
        def greet(session: Session) -> None:
            session.wait(lambda: False, 2 * self._limits.ready_idle_seconds)
            session.greet()

        self._registers_alike("hello_ack long after hello", lambda session: None, greet)

    def _registers_alike(self, when: str, first: Callable[[Session], None], then: Callable[[Session], None]) -> None:
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
            ended = f"; it ended{_why(session)}" if session.ended else ""
            self._add("depends-on-ack-time", f"with {when} it did not register {', '.join(missing)}{ended}")
        self._end(session)
        session.close()

    def _original_host(self) -> None:
        """Run everything once more with a host that grants nothing: frames sent there are judged against that."""
        session = self._start()
        if session is None:
            return
        session.wait(lambda: bool(session.lines), self._limits.hello_seconds)
        session.greet()
        session.settle()
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
        session.settle()
        session.end_input()
        seconds = self._limits.shutdown_seconds + self._limits.kill_seconds
        if not session.exited(seconds):
            self._add("ignores-end-of-input", f"it still runs {seconds:g} s after its input has ended")
        else:
            self._leftovers(session)
        session.close()

    def _probe(
        self,
        rule: str,
        ask: Callable[[Session, Request | None], bool],
        greet: Callable[[Session], None] = Session.greet,
    ) -> None:
        """Hold one conversation that ends well unless a rule is broken."""
        session = self._start()
        if session is None:
            return
        session.wait(lambda: bool(session.lines), self._limits.hello_seconds)
        greet(session)
        session.settle()
        answered = ask(session, self._asked)
        if self._asked is None:
            session.wait(lambda: False, self._limits.ready_idle_seconds)
        if session.ended:
            self._add(rule, f"it ended after {session.last}{_why(session)}")
        elif not answered:
            self._add(rule, f"it did not answer {session.last}")
        else:
            self._end(session)
        session.close()

    # The beginning and the end of each

    def _start(self, capabilities: tuple[str, ...] = ()) -> Session | None:
        ack = HelloAck(1, "zot-check", "check", "check", self._folder, self._target.folder, self._folder, capabilities)
        log = os.path.join(self._folder, "stderr.log")
        try:
            self._session = Session(self._target, self._limits, ack, log, self._environ)
            return self._session
        except OSError as error:
            self._add("cannot-start", f"{self._target.command[0]}: {error.strerror}")
            return None

    def _end(self, session: Session) -> None:
        """Judge what was said, then ask the program to end."""
        died = session.ended
        if died:
            self._add("exited-early", f"it ended after {session.last}{_why(session)}")
        elif self._polite:
            self._shut_down(session)
        self.findings += judge_lines(session)
        self.findings += judge_replies(session, died=died)

    def _shut_down(self, session: Session) -> None:
        limits = self._limits
        session.write(encode(Shutdown()), "shutdown")

        def acknowledged() -> bool:
            return any(isinstance(line.frame, ShutdownAck) for line in session.lines)

        told = session.wait(acknowledged, limits.shutdown_seconds)
        if not session.exited(limits.shutdown_seconds):
            how = "was acknowledged" if told else "was not acknowledged"
            self._add("ignores-shutdown", f"shutdown {how}, and it still runs after {limits.shutdown_seconds:g} s")
            self._polite = False
            return
        if not session.wait(acknowledged, limits.kill_seconds):  # it may have come since, shortly before the end
            self._add("no-shutdown-ack", f"it ended without shutdown_ack{_why(session)}")
        elif session.process.returncode:
            self._add("exit-status", f"it ended{_why(session)}")
        self._leftovers(session)

    def _leftovers(self, session: Session) -> None:
        if session.group():
            self._add("leaves-process", "processes it started outlived it")

    def _add(self, rule: str, text: str, line: bytes = b"") -> None:
        self.findings.append(finding(rule, text, line))


def _why(session: Session) -> str:
    if not session.exited(session.limits.kill_seconds):
        return ": it closed its standard output"
    code = session.process.returncode
    words = session.last_words()
    how = f" by signal {-code}" if code < 0 else f" with status {code}"
    return how + (f": {words}" if words else "")
