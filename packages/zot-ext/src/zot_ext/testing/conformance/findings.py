"""`Finding`, `Report`, and `RULES`: everything that `check` can find, each with how much it weighs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zot_ext.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

LEVELS = ("error", "warning", "note")
"""`error`: a host refuses it, loses something or waits in vain. `warning`: it works, though hardly as meant."""

RULES: dict[str, tuple[str, str]] = {
    "bad-manifest": ("error", "the directory holds an extension.json that can be read"),
    "cannot-start": ("error", "the program of the manifest can be started"),
    "no-program": ("note", "without a program there is nothing to drive"),
    "no-hello": ("error", "the first frame comes within the limit"),
    "hello-not-first": ("error", "the first line on standard output is hello"),
    "empty-name": ("error", "hello carries a name"),
    "name-mismatch": ("warning", "the name in hello is that of the manifest"),
    "second-hello": ("warning", "hello is sent once"),
    "no-ready": ("note", "ready is sent; without it the host waits for a quarter of a second of silence"),
    "stdout-noise": ("error", "standard output carries frames and nothing else"),
    "malformed-frame": ("error", "a frame is one JSON object with a type, on one line"),
    "not-utf8": ("error", "frames are UTF-8"),
    "oversized-frame": ("error", "a frame is at most 4 MiB"),
    "wrong-field-type": ("error", "fields have the types of the protocol"),
    "missing-field": ("warning", "fields without a default are there"),
    "unknown-frame": ("warning", "frames are of the types of the protocol"),
    "not-granted": ("error", "what needs a grant of the host is sent only when the host has granted it"),
    "bad-command-name": ("error", "names of commands are letters, digits, _ and -"),
    "bad-tool-name": ("error", "names of tools are 1 to 64 letters, digits, _ and -"),
    "bad-tool-schema": ("error", "the schema of a tool is a JSON Schema of an object"),
    "registered-twice": ("warning", "a name is registered once"),
    "unknown-event": ("note", "events that are subscribed to exist in protocol version 1"),
    "unknown-intercept": ("warning", "events that are intercepted exist; others are never asked about"),
    "depends-on-ack-time": ("error", "what is registered does not depend on when hello_ack arrives"),
    "no-reply": ("error", "every request is answered"),
    "late-reply": ("error", "requests are answered within their limit"),
    "double-reply": ("error", "a request is answered once"),
    "unknown-id": ("error", "a reply carries the id of a request"),
    "wrong-reply": ("error", "a request is answered with the frame that belongs to it"),
    "unknown-action": ("error", "the action of a command is one of the protocol"),
    "incomplete-action": ("warning", "the field that an action uses is there"),
    "unknown-level": ("warning", "the level of a note is one of the protocol"),
    "bad-content": ("error", "the content of a result is blocks of text and images"),
    "empty-content": ("warning", "the result of a tool has content"),
    "misplaced-field": ("warning", "a decision uses only what can be changed about its event"),
    "exited-early": ("error", "the program runs until it is told to end"),
    "breaks-on-unknown-frame": ("error", "frames of unknown types are ignored"),
    "breaks-on-unknown-field": ("error", "unknown fields are ignored"),
    "breaks-on-non-ascii": ("error", "any character can stand in a frame, U+2028 too"),
    "breaks-on-large-argument": ("error", "an argument of 1 MiB is received"),
    "breaks-on-joined-frames": ("error", "several frames may arrive at once"),
    "breaks-on-cut-frames": ("error", "a frame may arrive in pieces"),
    "no-shutdown-ack": ("error", "shutdown is answered with shutdown_ack"),
    "ignores-shutdown": ("error", "the program ends soon after shutdown"),
    "ignores-end-of-input": ("error", "the program ends when its input does: the host has gone"),
    "exit-status": ("warning", "the exit status after shutdown is 0"),
    "leaves-process": ("error", "no process of the extension outlives it"),
}
"""Rule to its level and to what holds when it is kept."""


class Finding(Record):
    """One broken rule."""

    level: str
    """See `LEVELS`."""
    rule: str
    """See `RULES`."""
    text: str
    """One line: what was seen."""
    frame: str = ""
    """The line it is about, shortened; `""` when it is about none."""


class Report(Record):
    """What `check` found, in the order of the conversation, and what the extension had registered."""

    name: str
    """As in the manifest, else as in `hello`."""
    findings: tuple[Finding, ...]
    commands: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    intercepts: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not self.count("error")

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that were broken, each once, in the order of `findings`."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def count(self, level: str) -> int:
        """How many findings there are of a level."""
        return sum(finding.level == level for finding in self.findings)

    def as_json(self) -> dict[str, object]:
        """The report as plain values for `json.dumps`: the fields of the record, and `ok`."""
        return {
            "name": self.name,
            "ok": self.ok,
            "commands": list(self.commands),
            "tools": list(self.tools),
            "events": list(self.events),
            "intercepts": list(self.intercepts),
            "findings": [{name: getattr(each, name) for name in each.__fields__} for each in self.findings],
        }


def finding(rule: str, text: str, line: bytes = b"") -> Finding:
    """Make a finding of a rule, with the level that the rule has."""
    frame = line.decode(errors="replace").rstrip("\r\n")
    frame = frame if len(frame) <= 300 else f"{frame[:300]}… ({len(line)} bytes)"
    return Finding(RULES[rule][0], rule, " ".join(text.split()), frame)


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The first of the findings that say the same, in order: each run may meet a fault again."""
    first: dict[tuple[str, str], Finding] = {}
    for each in findings:
        first.setdefault((each.rule, each.text), each)
    return tuple(first.values())
