"""Files: sessions, settings, models, themes, extensions, skills, instructions, ignore files, and patterns of paths."""

import json
from pathlib import Path
from typing import Any

import pytest
from hostile import damaged, doctored, few, is_reason, json_bytes, outcome, raw
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.config.settings import FILE, read_settings
from zot_agent.export.formats import export_session
from zot_agent.extensions.discover import Problem, read_extension
from zot_core.errors import SessionError
from zot_core.prompt.context_files import FILE_LIMIT, find_context
from zot_core.runtime.subagents.definitions import find_agents
from zot_core.sessions import rows
from zot_core.sessions.exchange.portable import import_session
from zot_core.sessions.listing import list_sessions, read_entry
from zot_core.sessions.preview import read_preview
from zot_core.sessions.rows import Meta
from zot_core.sessions.search import search_sessions
from zot_core.sessions.store import SessionStore, resume
from zot_core.sessions.stored import load
from zot_core.skills.front_matter import FrontMatterError
from zot_core.skills.skill import read_skill
from zot_core.templates import PromptTemplates
from zot_core.tools.search.gitignore import Gitignore
from zot_core.tools.search.globs import Glob
from zot_ext.manifest import ManifestError, parse_manifest
from zot_provider.catalog.user import parse_user_models
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.usage import Usage
from zot_provider.wire import WIRES, load_wire
from zot_provider.wire.base import Quirks
from zot_tui.theme.load import ThemeError, parse_theme
from zot_tui.theme.palette import palette

ASKED = Message("user", [TextBlock("hi"), ImageBlock("image/png", "iVBORw0KGgo=")])
ANSWERED = Message(
    "assistant", [TextBlock("so"), ReasoningBlock("sum", "text", "sig", "id", "w"), ToolCallBlock("c", "ls", "{}")]
)
DONE = Message("tool", [ToolResultBlock("c", [TextBlock("a.txt")])])
ROWS: list[Any] = [
    json.loads(row)
    for row in (
        rows.meta_row(Meta("abc", "/p", "m", "openai", "2026-01-01T00:00:00Z")),
        *map(rows.message_row, (ASKED, ANSWERED, DONE)),
        rows.tool_result_row(DONE),
        rows.usage_row(Usage(), Usage()),
        rows.compaction_row(rows.CompactionRow(ASKED, 1, 0)),
        '{"type":"rename","title":"a name"}',
    )
]


@few
@given(st.lists(doctored(ROWS), max_size=8), raw, st.booleans())
def test_a_session_file_is_read_or_refused_and_goes_on_where_it_can_be_read(
    tmp_path: Path, lines: list[Any], tail: bytes, whole: bool
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join([*([json_bytes(ROWS[0])] if whole else []), *map(json_bytes, lines), tail]))
    entry = read_entry(str(path))
    assert entry is None or len(entry.name.splitlines()) < 2
    stored = outcome(lambda: load(str(path)), SessionError)
    if stored is None:
        return
    for wire in WIRES:
        body = load_wire(wire).encode(Request(Model("m", "p", images=True), stored.messages), Quirks())
        json.dumps(body, allow_nan=False)
    session, again = resume(str(path))
    assert again.messages == stored.messages
    session.append(Message("user", [TextBlock("and then")]))
    session.close()
    assert load(str(path)).messages == [*stored.messages, Message("user", [TextBlock("and then")])]


@few
@given(st.lists(doctored(ROWS), max_size=8), raw, st.booleans())
def test_a_foreign_session_is_imported_or_refused_and_can_be_exported_searched_and_previewed(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Any], tail: bytes, whole: bool
) -> None:
    folder = tmp_path_factory.mktemp("imported")
    given, store = folder / "x.zotsession", SessionStore(str(folder / "sessions"))
    given.write_bytes(b"\n".join([*([json_bytes(ROWS[0])] if whole else []), *map(json_bytes, lines), tail]))
    path = outcome(lambda: import_session(store, str(given), "/p", "0"), SessionError)
    if path is None:
        assert not (folder / "sessions").exists()
        return
    stored = load(path)
    assert stored.meta.cwd == "/p"
    (entry,) = list_sessions(store)
    for suffix in (".zotsession", ".html", ".md"):
        page = Path(export_session(path, str(folder / f"out{suffix}"))).read_bytes()
        assert b"<script" not in page or suffix != ".html"
    again = import_session(store, str(folder / "out.zotsession"), "/p", "0")
    assert load(again).messages == stored.messages
    assert len(search_sessions(store, ["hi"])) in (0, 2)
    read_preview(path)
    assert entry.path == path


SETTINGS = {
    "provider": "openai", "model": "m", "reasoning": "high", "http_proxy": "http://h:1", "project_trust": "ask",
    "child_keys": "keep", "auto_compact_threshold": "85%", "theme": "dark", "tool_render": "box",
    "inline_images_enabled": True, "editor_mode": "vi", "keymap": {"ctrl+x": "/help", "f1": ""},
}  # fmt: skip


@few
@given(doctored([SETTINGS]).map(json_bytes) | damaged([json_bytes(SETTINGS)]))
def test_settings_are_read_or_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    settings = read_settings(str(tmp_path), environ={})
    assert all("\n" not in line for line in (*settings.problems, *settings.errors))
    assert settings.auto_compact_threshold in (0, *range(10, 100))


MODEL = {
    "id": "m", "name": "M", "contextWindow": 1000, "maxTokens": 100, "reasoning": True, "input": ["text", "image"],
    "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.5},
}  # fmt: skip
PROVIDERS = {
    "providers": {
        "mine": {"baseUrl": "http://h/v1", "api": "openai", "apiKey": "KEY", "models": [MODEL]},
        "openai": {"baseUrl": "http://h/v1", "models": [MODEL], "modelOverrides": {"m": {"contextWindow": 5}}},
    }
}


@few
@given(doctored([PROVIDERS]))
def test_models_are_taken_or_refused_in_one_line(value: object) -> None:
    if not isinstance(value, dict):
        return
    registry = outcome(lambda: ModelRegistry(parse_user_models(value)), ConfigError)
    assert registry is None or all(model.context_window >= 0 for model in registry.models())


THEME = {
    "name": "t", "mode": "dark", "description": "d", "spinner_frames": ["-", "|"], "spinner_messages": ["working"],
    "spinner_interval_ms": 120, "accent": 204, "color_descriptions": {"accent": "x"},
    "colors": {"fg": "#d8dce4", "thought": "#a9b1bf italic", "dark": {"error": "#f88 bold"}, "light": {},
               "markdown": {"heading": "bold", "code": "#e6c384"}},
}  # fmt: skip


@few
@given(doctored([THEME]).map(json_bytes) | damaged([json_bytes(THEME)]))
def test_a_theme_is_read_or_refused_in_one_line(data: bytes) -> None:
    theme = outcome(lambda: parse_theme(data.decode("utf-8", "replace")), ThemeError)
    if theme is not None:
        assert palette(theme)
        assert all(map(is_reason, theme.notes))


MANIFEST = {
    "name": "toy", "version": "1", "exec": "./run", "args": ["-x"], "language": "python", "description": "d",
    "enabled": True, "skills": ["skills/a"], "env": ["KEY"],
}  # fmt: skip


@few
@given(doctored([MANIFEST]).map(json_bytes) | damaged([json_bytes(MANIFEST)]))
def test_a_manifest_is_read_or_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "extension.json").write_bytes(data)
    found = read_extension(str(tmp_path))
    if outcome(lambda: parse_manifest(data), ManifestError) is None:
        assert isinstance(found, Problem)
        assert is_reason(found.message)


SKILL = b"""---
name: toy
description: >-
  what it is
  for
allowed-tools: Bash(git:*), Read
metadata:
  author: "me"
  tags: [a, 'b']
user-invocable: false
---
Text
"""


@few
@given(damaged([SKILL], [b"---", b"- a", b"|", b">", b"'", b'"', b"&a", b"*a", b"!!x", b"? a", b"<<:", b"\n  "]))
def test_a_skill_is_read_or_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "SKILL.md"
    path.write_bytes(data)
    skill = outcome(lambda: read_skill(str(path), "user"), FrontMatterError)
    if skill is not None:
        assert skill.name
        assert len(skill.description.splitlines()) < 2


AGENT = b"""---
name: judge
description: judges work
tools: [Read, "Bash(git:*)"]
model: small:low
permissions: plan
---
You judge.
"""


@few
@given(damaged([AGENT], [b"---", b"- a", b"|", b">", b"'", b"&a", b"*a", b"!!x", b"permissionMode: yolo", b"\n  "]))
def test_an_agent_is_defined_or_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "agents" / "toy.md"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    listing = find_agents([(str(path.parent), "user")])
    assert len(listing.found) + len(listing.notes) + len(listing.errors) == 1
    assert all(map(is_reason, (*listing.notes, *listing.errors)))
    for each in listing.found:
        assert len(each.line.splitlines()) == 1
        assert each.permissions in (None, "plan", "ask")


TEMPLATE = b"""---
description: what it does
argument-hint: [file]
---
Look at $1, ${@:2:3} and ${2:-that}: $ARGUMENTS
"""


@few
@given(damaged([TEMPLATE], [b"---", b"$1", b"${@:", b"}", b"\\$@", b":-", b"\n"]), damaged([b"a 'b c' \"d\""]))
def test_a_template_is_sent_or_refused_in_one_line(tmp_path: Path, data: bytes, arguments: bytes) -> None:
    (tmp_path / "prompts").mkdir(exist_ok=True)
    (tmp_path / "prompts" / "toy.md").write_bytes(data)
    templates = PromptTemplates("/nowhere", str(tmp_path))
    prompt = outcome(lambda: templates.expand("toy", arguments.decode("utf-8", "replace")), ConfigError)
    listing = templates.listing()
    assert ("toy" in [each.name for each in listing.found]) == (prompt is not None)
    assert all(map(is_reason, listing.notes))
    assert all(len(f"{each.description} {each.arguments}".splitlines()) == 1 for each in listing.found)


@few
@given(damaged([b"# Rules\n\nBe kind.\n", "é漢".encode() * 40_000]))
def test_instructions_are_text_within_the_limit_or_a_note(work: Path, data: bytes) -> None:
    (work / "AGENTS.md").write_bytes(data)
    context = find_context(str(work))
    assert all(map(is_reason, context.notes))
    for each in context.files:
        assert 0 < len(each.text.encode()) <= 3 * FILE_LIMIT
    if not context.files and not context.notes:
        assert data.decode("utf-8-sig", "replace").strip() == ""


PATTERNS = [b"*", b"**", b"/", b"!", b"\\", b"[a-z]", b"[!", b"[]", b"]", b"[[:alpha:]]", b"{a,b}", b"{", b",", b"}",
            b"?", b"a", b".", b"#", b" ", b"**/", b"/**", b"-", b"^"]  # fmt: skip
patterns = (
    st.lists(st.sampled_from(PATTERNS) | raw, max_size=30)
    .map(b"".join)
    .map(lambda data: data.decode("utf-8", "replace"))
)


@few
@given(patterns, st.lists(st.sampled_from(["a", "b", "/", ".", "aaaa", "é", " ", "a/b", "*"]), max_size=60))
def test_every_ignore_file_and_pattern_has_an_answer_for_every_path(pattern: str, parts: list[str]) -> None:
    path = "".join(parts)
    assert Gitignore(pattern).verdict(path) in (True, False, None)
    assert outcome(lambda: Glob(pattern).matches(path), ValueError) in (True, False, None)
    assert outcome(lambda: Glob(pattern, anywhere=True).matches(path), ValueError) in (True, False, None)
