"""The exported page."""

import base64
import json
from io import BytesIO
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zot_agent.config.paths import sessions_root
from zot_agent.export.formats import file_name, session_entry
from zot_agent.export.html import write_html
from zot_core.sessions.listing import SessionEntry
from zot_core.sessions.store import SessionStore
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock

DOT = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360606060000000050001a5f64540"
        "0000000049454e44ae426082"
    )
).decode()
EVIL = "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>\"'&"


def page(*messages: Message, title: str = "") -> str:
    session = SessionStore(sessions_root()).create("/p", EVIL, "p", "0")
    session.meta = session.meta.replace(title=title)
    for message in messages:
        session.append(message)
    session.close()
    target = BytesIO()
    write_html(session_entry(session.path), target)
    return target.getvalue().decode()


def user(text: str) -> Message:
    return Message("user", [TextBlock(text)])


def test_nothing_from_the_session_is_markup_of_the_page() -> None:
    found = page(
        user(EVIL),
        Message(
            "assistant",
            [ReasoningBlock(EVIL), TextBlock(f"{EVIL}\n\n[x](javascript:alert(1)) ![p](http://x.test/p.png)\n\n{EVIL}"),
             ToolCallBlock("c", EVIL, EVIL)],
        ),
        Message("tool", [ToolResultBlock("c", [TextBlock(EVIL), ImageBlock("image/svg+xml", EVIL)])]),
        Message("user", [ImageBlock("image/png", f'"{EVIL}')]),
        title=EVIL,
    )  # fmt: skip
    assert "<script" not in found
    assert "<img" not in found
    assert "javascript:" not in found.replace("(javascript:alert(1))", "")
    assert found.count("<details") == found.count("</details>") == 2
    assert "default-src 'none'" in found


@given(st.text(st.sampled_from("<>&\"'/=! `*_[]()\n\tascript:"), max_size=60))
def test_the_page_has_only_its_own_elements(text: str) -> None:
    session = SessionStore(sessions_root()).create("/p", "m", "p", "0")
    session.append(user(text))
    session.append(Message("assistant", [TextBlock(text), ToolCallBlock("c", text, text)]))
    session.close()
    target = BytesIO()
    write_html(session_entry(session.path), target)
    body = target.getvalue().decode().partition("<body>")[2]
    allowed = (
        "main header h1 h2 h3 h4 h5 h6 p article div details summary b i small code pre span ins del em strong s a ul "
        "ol li blockquote hr br"
    )
    names = {part.lstrip("/").partition(">")[0].partition(" ")[0] for part in body.split("<")[1:]}
    assert names <= {
        *allowed.split(),
        "blockquote",
        "hr",
        "br",
        "body",
        "html",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert "<script" not in body


def test_markdown_is_shown_and_pictures_are_in_the_file() -> None:
    call = ToolCallBlock("c", "read", '{"path": "a.png"}')
    found = page(
        user("# not a heading"),
        Message("assistant", [TextBlock("A **bold** word and\n\n| a |\n|---|\n| b |"), call]),
        Message("tool", [ToolResultBlock("c", [ImageBlock("image/png", DOT)], is_error=True)]),
    )
    assert '<div class="said"># not a heading</div>' in found
    assert "<strong>bold</strong>" in found
    assert "<td>b</td>" in found
    assert f'<img alt="" src="data:image/png;base64,{DOT}">' in found
    summary = "<i>✗</i> <b>read</b> <code>a.png</code> <small>failed</small>"
    assert f'<details class="failed" open><summary>{summary}</summary>' in found


def called(name: str, arguments: dict[str, Any], text: str, **result: Any) -> str:
    """What the page shows of a call."""
    call = ToolCallBlock("c", name, json.dumps(arguments))
    found = page(Message("assistant", [call]), Message("tool", [ToolResultBlock("c", [TextBlock(text)], **result)]))
    return found[found.index("<details") : found.index("</details>")]


def test_a_change_is_shown_in_bands_with_the_numbers_of_its_lines() -> None:
    details = {"diff": " a\n-b\n+<c>\n+d\n...\n-x", "starts": [[9, 9], [40, 41]]}
    arguments = {"path": "src/a.py", "edits": [{"oldText": "b", "newText": "c\nd"}]}
    found = called("edit", arguments, "changed src/a.py", details=details)
    assert found.startswith("<details open><summary><i>✓</i> <b>edit</b> <code>src/a.py</code> <small>+2 −2</small>")
    assert (
        '<span data-line="9"> a</span><del data-line="10">-b</del><ins data-line="10">+&lt;c&gt;</ins>'
        '<ins data-line="11">+d</ins><span>…</span><del data-line="40">-x</del></pre>'
    ) in found
    assert "oldText" not in found


def test_a_command_is_shown_with_its_output_and_how_it_ended() -> None:
    found = called("bash", {"command": "make\ntrue"}, "\x1b[31mno\x1b[0m rule\n\n[exit 2] 1.5s", is_error=True)
    assert found.startswith('<details class="failed" open><summary><i>✗</i> <b>bash</b> <code>make true</code>')
    assert found.endswith("<small>exit 2 · 1.5 s</small></summary><pre><b>$ make\n  true</b>\nno rule\n</pre>")


def test_what_changes_nothing_is_folded_and_a_call_of_another_tool_shows_its_arguments() -> None:
    read = called("read", {"path": "a.py"}, "x = 1\n")
    assert read == (
        "<details><summary><i>✓</i> <b>read</b> <code>a.py</code> <small>1 line</small></summary><pre>x = 1\n</pre>"
    )
    other = called("issues", {"query": "open", "labels": ["bug"], "body": "a\nb"}, "none")
    assert other.endswith("<code>open</code></summary><pre>labels: [&quot;bug&quot;]\nbody: a\nb</pre><pre>none</pre>")
    failed = called("edit", {"path": "a.py", "edits": [{"oldText": "b", "newText": "c"}]}, "not found", is_error=True)
    assert failed.endswith("<code>a.py</code> <small>failed</small></summary><pre>not found</pre>")
    refused = called("bash", {"command": "x"}, "the user said no", is_error=True, fate="refused")
    assert refused.endswith("<small>refused</small></summary><pre>the user said no</pre>")


def test_an_exported_file_is_named_after_the_session() -> None:
    entry = SessionEntry("af86bd37-4037", "/x", "/p", "Fix: the `parser`, " + "really " * 20, True, 1,
                         "2026-11-21T20:29:25.586Z", 0, 0, "m")  # fmt: skip
    assert file_name(entry) == "20261121-202925-af86bd37-fix-the-parser-really-really-really-real.zotsession"
    assert file_name(entry.replace(id="../../x", name="…", started="")) == "x.zotsession"
