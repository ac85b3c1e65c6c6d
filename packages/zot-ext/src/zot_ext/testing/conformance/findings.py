"""`CheckFinding`, `Report`, and `RULES`: everything that `check` can find, with its severity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zot_ext.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

LEVELS = ("error", "warning", "note")
"""`error`: a host refuses it, loses data or waits in vain. `warning`: it works, but probably not as intended."""

RULES: dict[str, tuple[str, str]] = {
    "bad-manifest": ("error", "the directory contains a valid extension.json"),
    "cannot-start": ("error", "the program of the manifest can be started"),
    "no-program": ("note", "without a program there is nothing to check"),
    "no-hello": ("error", "the first frame arrives within the limit"),
    "hello-not-first": ("error", "the first line on standard output is hello"),
    "empty-name": ("error", "hello contains a name"),
    "name-mismatch": ("warning", "the name in hello equals the name in the manifest"),
    "second-hello": ("warning", "hello is sent once"),
    "no-ready": ("note", "ready is sent; without it the host waits for a quarter of a second of silence"),
    "stdout-noise": ("error", "standard output contains only frames"),
    "malformed-frame": ("error", "a frame is one JSON object with a type, on one line"),
    "not-utf8": ("error", "frames are UTF-8"),
    "oversized-frame": ("error", "a frame is at most 4 MiB"),
    "wrong-field-type": ("error", "fields have the types of the protocol"),
    "missing-field": ("warning", "fields without a default are present"),
    "unknown-frame": ("warning", "frames have types of the protocol"),
    "not-granted": ("error", "frames that need a capability are sent only if the host grants it"),
    "not-permitted": ("error", "what is registered is named in the permissions of the manifest"),
    "bad-resource": ("error", "skills, prompts and themes of the manifest exist in the folder of the extension"),
    "flag-not-in-manifest": ("error", "the manifest has each flag of the program, with its type and default"),
    "unnamed-provider": ("error", "providers are named in the manifest"),
    "guard-not-there": ("error", "what the manifest declares as guarded is intercepted"),
    "bad-machine": ("error", "a machine for zot's own tools has a name, and directories that are absolute"),
    "bad-provider-event": ("error", "an answer has known events, and one end, which is the last of them"),
    "unknown-method": ("error", "calls to the host name methods of the protocol"),
    "bad-params": ("error", "the parameters of a call have the names and types of its method"),
    "not-in-command": ("error", "calls that only a command may make name one as parent_id"),
    "bad-call-id": ("error", "each call to the host has a new id"),
    "bad-channel": ("error", "channels of the bus are names without spaces, and only a pattern ends in *"),
    "bad-command-name": ("error", "names of commands are letters, digits, _ and -"),
    "bad-tool-name": ("error", "names of tools are 1 to 64 letters, digits, _ and -"),
    "bad-tool-schema": ("error", "the schema of a tool is a JSON Schema of an object"),
    "bad-tool-options": ("error", "the options of a tool have the values of the protocol"),
    "not-registered": ("warning", "a tool that is taken back was registered"),
    "large-details": ("warning", "the details of a result are at most 64 KiB"),
    "registered-twice": ("warning", "a name is registered once"),
    "unknown-event": ("note", "observed events exist in protocol version 1"),
    "unknown-intercept": ("warning", "intercepted events exist; hosts never ask about others"),
    "not-asked-for": ("error", "hello asks for the groups of the events in subscribe"),
    "depends-on-ack-time": ("error", "registrations do not depend on when hello_ack arrives"),
    "not-the-same": ("warning", "a program whose registrations are remembered registers the same at every start"),
    "no-reply": ("error", "every request is answered"),
    "late-reply": ("error", "requests are answered within their limit"),
    "double-reply": ("error", "a request is answered once"),
    "unknown-id": ("error", "a reply contains the id of a request"),
    "wrong-reply": ("error", "a request is answered with a frame of the right type"),
    "unknown-action": ("error", "the action of a command exists in the protocol"),
    "incomplete-action": ("warning", "the field that an action uses is present"),
    "unknown-level": ("warning", "the level of a note exists in the protocol"),
    "bad-content": ("error", "the content of a result is blocks of text and images"),
    "empty-content": ("warning", "the result of a tool has content"),
    "bad-answer": ("error", "the members of an answer to an interception have the types of its event"),
    "misplaced-field": ("warning", "a decision only sets fields that its event allows"),
    "exited-early": ("error", "the program runs until the host ends it"),
    "breaks-on-unknown-frame": ("error", "frames of unknown types are ignored"),
    "breaks-on-unknown-field": ("error", "unknown fields are ignored"),
    "breaks-on-non-ascii": ("error", "a frame may contain any character, even U+2028"),
    "breaks-on-large-argument": ("error", "an argument of 1 MiB is received"),
    "breaks-on-joined-frames": ("error", "several frames may arrive at once"),
    "breaks-on-cut-frames": ("error", "a frame may arrive in pieces"),
    "no-shutdown-ack": ("error", "shutdown is answered with shutdown_ack"),
    "ignores-shutdown": ("error", "the program ends soon after shutdown"),
    "ignores-end-of-input": ("error", "the program ends when its input ends: the host is gone"),
    "exit-status": ("warning", "the exit status after shutdown is 0"),
    "leaves-process": ("error", "no process of the extension outlives it"),
}
"""Rule to its level and to the requirement, as a statement that is true for correct extensions."""


class CheckFinding(Record):
    """One broken rule."""

    level: str
    """See `LEVELS`."""
    rule: str
    """See `RULES`."""
    text: str
    """One line that says what was observed."""
    frame: str = ""
    """The line of the extension that broke the rule, shortened; `""` without such a line."""


class Report(Record):
    """The findings of `check`, in the order of the runs, and the registrations of the extension."""

    name: str
    """From the manifest, else from `hello`."""
    findings: tuple[CheckFinding, ...]
    commands: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    intercepts: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.count("error")

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that were broken, each once, in the order of `findings`."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def count(self, level: str) -> int:
        return sum(finding.level == level for finding in self.findings)

    def as_json(self) -> dict[str, object]:
        """Return the report as plain values for `json.dumps`: the fields of the record, and `ok`."""
        return {
            "name": self.name,
            "ok": self.ok,
            "commands": list(self.commands),
            "tools": list(self.tools),
            "events": list(self.events),
            "intercepts": list(self.intercepts),
            "providers": list(self.providers),
            "findings": [{name: getattr(each, name) for name in each.__fields__} for each in self.findings],
        }


def finding(rule: str, text: str, line: bytes = b"") -> CheckFinding:
    """Make a finding for a rule, with the level of the rule."""
    frame = line.decode(errors="replace").rstrip("\r\n")
    frame = frame if len(frame) <= 300 else f"{frame[:300]}… ({len(line)} bytes)"
    return CheckFinding(RULES[rule][0], rule, " ".join(text.split()), frame)


def distinct(findings: Iterable[CheckFinding]) -> tuple[CheckFinding, ...]:
    """Drop repeated findings, in order: every run may meet the same fault."""
    first: dict[tuple[str, str], CheckFinding] = {}
    for each in findings:
        first.setdefault((each.rule, each.text), each)
    return tuple(first.values())
