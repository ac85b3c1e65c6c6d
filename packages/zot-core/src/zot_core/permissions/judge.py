"""`Judge`: decides about tool calls by rules and a mode."""

import asyncio
import os
import shlex
from collections.abc import Iterable, Mapping
from shutil import which
from typing import Any, Protocol

from zot_core.display import main_argument
from zot_core.errors import ToolError
from zot_core.hooks import ToolRequest
from zot_core.machine.hosts import HostPattern, WebAddress, read_web_address
from zot_core.machine.interface import expand_home
from zot_core.machine.quiet_repository import why_not_quiet
from zot_core.permission_mode import PermissionMode
from zot_core.permissions.lines import GitUse, LineFinding, LineRules, path_rules
from zot_core.permissions.narrow import narrowest
from zot_core.permissions.patterns import PathPattern, is_below
from zot_core.permissions.protected import protected_part
from zot_core.permissions.rule import COMMANDS, OWN, READ, SERVER, WEB, WRITES, Action, Rule, parse_rule, there
from zot_core.permissions.unmatchable import other_tool
from zot_core.tools.definition.builtin import BuiltinTool
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess
from zot_core.tools.definition.tool import JsonSchema, Tool
from zot_provider.near_names import nearest
from zot_provider.record import Record, field

_ALIKE = 0.6
_COMPOSED = frozenset(("$ref", "allOf", "anyOf", "if", "oneOf", "patternProperties"))
"""Keys of a schema (JSON Schema, 10.2 and 10.3.2) with which it may have arguments that it does not list."""


class Verdict(Record):
    """The decision about a call: `reason` is one line for the model and the person, `rule` the rule that decided.

    `always` are the narrowest rules that would allow the same call; empty if no rule can.
    """

    action: Action
    reason: str = ""
    rule: Rule | None = None
    always: list[str] = field(default_factory=list)
    git: GitUse = ""
    """Of a line that runs because of rules, or because it only reads."""


class Judged(Protocol):
    """An agent, as a judge needs it."""

    @property
    def context(self) -> ToolContext: ...
    @property
    def tools(self) -> Mapping[str, Tool]: ...


class _Subject(Record):
    """A call as rules see it. `command` is its line of shell, `path` the real path of the file it accesses; a call that
    searches has the folder as its path."""

    tool: str
    command: str | None = None
    path: str | None = None
    reads: bool = False
    writes: bool = False
    searches: bool = False
    named: bool = True
    """Whether the model named the path; otherwise the tool chose it."""
    address: WebAddress | None = None
    """The hosts of a call for the web."""
    argument: str = ""
    home: str = ""
    """The home folder, if the call is one on another machine."""
    says_it_reads: bool = False
    """A tool of an extension that says that it changes nothing."""


class Judge:
    """Judges calls by `rules` and by `mode`; both can be changed at any time. Without `reads`, commands that only read
    need a rule, too."""

    def __init__(self, rules: Iterable[Rule] = (), mode: PermissionMode = "ask", *, reads: bool = True) -> None:
        self.rules = list(rules)
        self.mode: PermissionMode = mode
        self._reads = reads
        self._edited: set[str] = set()

    def unknown_tools(self, tools: Iterable[str], *, similar: bool = False) -> list[str]:
        """Return a line for each rule that names none of `tools`; with `similar` only if it nearly does, or holds
        something back: other names may belong to extensions and servers that come later."""
        known = {name.casefold() for name in (*tools, READ, *WRITES, COMMANDS, *OWN)}
        unknown = [rule for rule in self.rules if not any(rule.names(name) for name in known)]
        lines = []
        for rule in unknown:
            program = f"{COMMANDS}({rule.tool} *)" if which(rule.tool) else ""
            near = other_tool(rule.tool) or program or nearest(rule.tool, sorted(known), _ALIKE)
            meant = f"; did you mean {near}?" if near else ""
            holds = rule.action != "allow" and not rule.tool.startswith(SERVER)
            if near or holds or not similar:
                lines.append(f"{rule.source}: {rule.text!r} names no tool that there is now{meant}")
        return lines

    async def judge(self, call: ToolRequest, agent: Judged) -> Verdict:
        """Decide about a call with the arguments that the tool will receive. For a sub-agent in a worktree the rules
        count there; rules that deny or ask count in the folder of the agent, too."""
        text = call.arguments_json()
        if "\\u0000" in text or any("\ud800" <= char <= "\udfff" for char in text):
            return Verdict("deny", f"the arguments of {call.name} contain a NUL or text that is not UTF-8")
        context = agent.context.replace(cwd=call.cwd or agent.context.cwd)
        subject = await _subject(call, agent.tools.get(call.name), context)
        subject.home = context.home
        cwd, above = _real(context), _real(agent.context)
        rules = [there(each, context.home) for each in self.rules] if context.home else self.rules
        if subject.command is None:
            verdict = self._judge_there(subject, rules, cwd, above)
        else:  # in a thread: what a model writes must not hold the event loop
            verdict = await asyncio.to_thread(self._judge_there, subject, rules, cwd, above)
        if subject.writes and subject.path and verdict.action != "deny":
            self._edited.add(subject.path)
        return verdict

    def _judge_there(self, subject: _Subject, rules: list[Rule], cwd: str, above: str) -> Verdict:
        """Decide about a call in `cwd`, where the folder of the agent is `above`."""
        verdict = self._judge(subject, rules, cwd)
        if above != cwd and verdict.action != "deny":
            by_rule = self._judge(subject, [rule for rule in rules if rule.action != "allow"], above)
            if by_rule.rule is not None and (by_rule.action == "deny" or verdict.action == "allow"):
                return by_rule
        if verdict.action == "ask" and verdict.rule is None:
            verdict = verdict.replace(always=self._always(subject, rules, cwd))
        return verdict

    def judge_command(self, command: str, cwd: str) -> Verdict:
        """Decide about a line of shell in the real path `cwd`."""
        return self._judge(_Subject(COMMANDS, command=command), self.rules, cwd)

    def _always(self, subject: _Subject, rules: list[Rule], cwd: str) -> list[str]:
        """Return the rules that the answer "always" adds: the first of those to offer that would allow the call."""
        for always in _narrowest(subject, cwd):
            added = [there(parse_rule("allow", each), subject.home) for each in always]
            if self._judge(subject, [*rules, *added], cwd).action == "allow":
                return always
        return []

    def _judge(self, subject: _Subject, rules: list[Rule], cwd: str) -> Verdict:
        if subject.command is not None:
            return self._judge_line(subject, rules, cwd)
        named = _rules_for(subject, rules)
        for action in ("deny", "ask"):
            for rule in named:
                if rule.action == action and _covers(rule, subject, cwd):
                    return _by_rule(rule)
        if subject.searches and subject.path is not None and self.mode != "yolo":
            hidden = (rule for rule in named if rule.action != "allow" and isinstance(rule.pattern, PathPattern))
            for rule in hidden:
                if rule.pattern.reaches(subject.path, cwd):  # type: ignore[union-attr]
                    return Verdict("ask", f"it may read what the rule {rule.text} is about")
        for rule in named:
            if rule.action == "allow" and _covers(rule, subject, cwd) and not _special(subject, rule, cwd):
                return _allowed(rule)
        return self._by_mode(subject, cwd)

    def _judge_line(self, subject: _Subject, rules: list[Rule], cwd: str) -> Verdict:
        assert subject.command is not None
        named = [(rule, rule.names(subject.tool)) for rule in rules]
        # Only a rule about another tool than the shell allows what that does with a line.
        own = [rule.replace(tool=COMMANDS) if its else rule for rule, its in named if its or rule.action != "allow"]
        reads = self._reads and subject.tool == COMMANDS
        finding = LineRules(own, cwd, self._edited, subject.home, reads=reads).judge(subject.command)
        if finding.strict is not None and finding.strict.action == "deny":
            return _by_rule(finding.strict)
        if finding.reason:
            return Verdict("ask", finding.reason)
        if finding.strict is not None:
            return _by_rule(finding.strict)
        if finding.doubt:
            return self._default(finding.doubt) if self.mode == "plan" else Verdict("ask", finding.doubt)
        if finding.uncovered or (self.mode == "yolo" and not finding.covering):
            return self._default(finding.uncovered)
        return self._covered(finding, rules, cwd)

    def _covered(self, finding: LineFinding, rules: list[Rule], cwd: str) -> Verdict:
        """Decide about a line each of whose commands is allowed by a rule, or only reads: what it reads must be what
        may be read."""
        reading = finding.reading
        for path in reading.paths:
            read = self._judge(_Subject(READ, path=path, reads=True), rules, cwd)
            if read.action != "allow":
                return Verdict("ask", read.reason)
        hidden = [rule for rule in path_rules(rules, writes=False) if rule.action != "allow"]
        for rule in (rule for rule in hidden if isinstance(rule.pattern, PathPattern)):
            if any(rule.pattern.reaches(each, cwd) for each in reading.deep):  # type: ignore[union-attr]
                return Verdict("ask", f"it may read what the rule {rule.text} is about")
        if reading.git and self.mode != "yolo" and (why := why_not_quiet(cwd)):
            return Verdict("ask", why)
        verdict = _allowed(*finding.covering) if finding.covering else Verdict("allow", "it only reads")
        return verdict if self.mode == "yolo" else verdict.replace(git=finding.git)

    def _by_mode(self, subject: _Subject, cwd: str) -> Verdict:
        """Decide about a call that no rule names."""
        inside = subject.path is not None and is_below(subject.path, cwd)
        if subject.reads and (inside or not subject.named):
            return Verdict("allow")
        if subject.reads and self.mode == "plan":
            return Verdict("ask", f"{subject.path} is outside {cwd}")
        if subject.writes and self.mode == "accept-edits" and inside and not _special(subject, None, cwd):
            return Verdict("allow")
        if subject.says_it_reads and self.mode == "plan":
            return Verdict("ask", f"{subject.tool} of an extension says that it only reads")
        where = f" and {subject.path} is outside {cwd}" if subject.path and not inside else ""
        return self._default(f"no rule allows this call of {subject.tool}{where}")

    def _default(self, why: str) -> Verdict:
        if self.mode == "yolo":
            return Verdict("allow")
        if self.mode == "plan":
            return Verdict("deny", f"in the mode plan only reading is allowed, and what rules allow: {why}")
        return Verdict("ask", why)


def _real(context: ToolContext) -> str:
    """Return the working directory without links; on another machine it has none."""
    return context.cwd if context.home else os.path.realpath(context.cwd)


def _allowed(*rules: Rule) -> Verdict:
    if len(rules) == 1:
        return _by_rule(rules[0])
    return Verdict("allow", f"the rules {' and '.join(rule.text for rule in rules)} allow this call", rules[0])


def _narrowest(subject: _Subject, cwd: str) -> Iterable[list[str]]:
    if subject.tool.casefold() == WEB:
        return [[f"{subject.tool}({subject.address.shown})"]] if subject.address else []
    return narrowest(subject.tool, subject.command, subject.path, subject.argument, cwd, writes=subject.writes)


def _by_rule(rule: Rule) -> Verdict:
    where = f" ({rule.source})" if rule.source else ""
    words = {"deny": "denies", "ask": "asks about", "allow": "allows"}
    return Verdict(rule.action, f"the rule {rule.text} {words[rule.action]} this call{where}", rule)


def _rules_for(subject: _Subject, rules: Iterable[Rule]) -> list[Rule]:
    name = subject.tool.casefold()
    found = [rule for rule in rules if rule.names(name)]
    if subject.reads and name != READ:
        found += path_rules(rules, writes=False)
    if subject.writes:
        found += [rule for rule in path_rules(rules, writes=True) if rule.tool.casefold() != name]
    return found


def _covers(rule: Rule, subject: _Subject, cwd: str) -> bool:
    if rule.pattern is None:
        return True
    if isinstance(rule.pattern, PathPattern):
        return subject.path is not None and rule.pattern.matches(subject.path, cwd)
    if isinstance(rule.pattern, HostPattern):
        if subject.address is None:  # an allow does not cover what cannot be read, everything else does
            return rule.action != "allow"
        return rule.pattern.matches(subject.address.host, subject.address.port)
    return rule.pattern.matches([subject.argument])


def _special(subject: _Subject, rule: Rule | None, cwd: str) -> bool:
    """Whether a written file needs its own rule: programs take orders from it, or it has other names."""
    if not subject.writes or subject.path is None:
        return False
    part = protected_part(subject.path, cwd)
    if part:
        pattern = rule.pattern if rule is not None else None
        return not (isinstance(pattern, PathPattern) and part in pattern.text.split("/"))
    if subject.home:
        return False
    try:
        return os.stat(subject.path).st_nlink > 1 and not os.path.isdir(subject.path)
    except OSError:
        return False


async def _subject(call: ToolRequest, tool: Tool | None, context: ToolContext) -> _Subject:
    """Return the call as rules see it."""
    given = call.arguments if tool is None else _declared(call.arguments, (tool.original or tool).schema)
    if call.name == COMMANDS or "command" in given:
        return _Subject(call.name, command=_line(given.get("command", call.arguments)))
    plain = _Subject(call.name, argument=main_argument(given))
    if call.name.casefold() == WEB:
        return plain.replace(address=_address(call))
    if tool is None:
        return plain
    if tool.changes_nothing:
        return plain.replace(reads=True, named=False)
    tool = tool.original or tool  # what takes the place of a tool may do no more
    if isinstance(tool, BuiltinTool) and call.name in OWN:
        return plain.replace(reads=True, named=False)
    plain = plain.replace(says_it_reads=tool.read_only)
    try:
        access = await tool.access(call.arguments, context)
    except (ToolError, OSError, ValueError):  # the tool will refuse the call in the same words
        return plain
    return plain if access is None else await _file_subject(plain, access, call, context)


def _declared(arguments: Mapping[str, Any], schema: JsonSchema) -> Mapping[str, Any]:
    """Return the arguments that a tool has: most tools pass over others, which must not decide. All of them, if the
    schema does not list what there are."""
    names = schema.get("properties")
    if not names or not _COMPOSED.isdisjoint(schema):
        return arguments
    return {name: value for name, value in arguments.items() if name in names}


def _line(command: object) -> str:
    """Return the line of shell that an argument is, also one in words; another value becomes text."""
    return shlex.join(map(str, command)) if isinstance(command, list) else str(command or "")


def _address(call: ToolRequest) -> WebAddress | None:
    try:
        return read_web_address(str(call.arguments.get("url")))
    except ValueError:
        return None


async def _file_subject(plain: _Subject, access: FileAccess, call: ToolRequest, context: ToolContext) -> _Subject:
    searches = access.path is None
    path, given = access.path, call.arguments.get("path")
    if path is None:
        given = given if isinstance(given, str) and given else "."
        path = await context.files.real(os.path.join(context.cwd, expand_home(given, context.home)))
    return plain.replace(
        path=path, reads=not access.writes, writes=access.writes, searches=searches, named="path" in call.arguments
    )
