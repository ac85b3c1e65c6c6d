"""Going back in the tree of a session on the screen."""

from screen import Chats

from zot_provider.testing import ScriptedServer, Turn


async def test_an_earlier_prompt_is_changed_and_the_tree_has_both(chats: Chats, server: ScriptedServer) -> None:
    server.add("red", "blue", "green")
    async with chats.built(server) as talk:
        await talk.send("a color")
        await talk.send("another one")
        talk.type("<esc><esc>")
        await talk.shown("Change a prompt")
        talk.type("<enter>")
        await talk.until_hidden("Change a prompt")
        await talk.until(lambda: [text for _, text in talk.said] == ["a color", "red"])
        await talk.until_hidden("blue")
        await talk.shown("› another one")
        await talk.send(", a dark one")
        assert [text for _, text in talk.said] == ["a color", "red", "another one, a dark one", "green"]

        talk.type("/tree<enter>")
        await talk.shown("Session tree")
        assert talk.shows("""
            |▌ a color
            |
            |  red
            |
            |▌ another one, a dark one
            |
            |  green
            |(7 blank)
            |────────────────────────────────────────────────────────────────────────────────
            |  Session tree
            |
            |/ type to search
            |  ● a color
            |› ● another one, a dark one
            |      another one
            |
            |  Enter choose · ← fold · Ctrl+S summary · Ctrl+L label · Ctrl+T all · Esc close
            |  yolo · no sandbox · ~/work       ↑30 ↓15 · <1% of ~32.8k · openai · scripted
        """)
        talk.type("<ctrl+t>blue")
        await talk.shown("›     assistant: blue")
        talk.type("<enter>")
        await talk.until(lambda: [text for _, text in talk.said] == ["a color", "red", "another one", "blue"])


async def test_a_branch_is_folded_and_unfolded(chats: Chats, server: ScriptedServer) -> None:
    server.add("red", "blue", "green")
    async with chats.built(server) as talk:
        await talk.send("a color")
        await talk.send("another one")
        talk.type("<esc><esc>")
        await talk.shown("Change a prompt")
        talk.type("<enter>")
        await talk.shown("› another one")
        await talk.send(", a dark one")
        talk.type("/tree<enter>")
        await talk.shown("Session tree")
        talk.type("<ctrl+t><left>")
        await talk.shown("only a branch, which is indented, can be folded")
        talk.type("<end>")
        await talk.shown("›     assistant: blue")
        talk.type("<left>")
        await talk.until_hidden("assistant: blue")
        assert "›     another one" in talk.screen()
        assert "+1" in talk.screen()
        talk.type("<right>")
        await talk.shown("assistant: blue")
        talk.type("<left>")
        await talk.until_hidden("assistant: blue")
        talk.type("blue")
        await talk.shown("nothing found")
        talk.type("<ctrl+u>another<left>x")
        await talk.shown("/ anothexr")


async def test_the_branch_that_is_left_is_summarised(chats: Chats, server: ScriptedServer) -> None:
    server.add("red", "blue", "Blue was named and not liked.", "green")
    async with chats.built(server) as talk:
        await talk.send("a color")
        await talk.send("another one")
        talk.type("/tree<enter>")
        await talk.shown("Session tree")
        talk.type("<end><ctrl+s>")
        await talk.shown("≡ Summary of the conversation")
        await talk.shown("› another one")
        await talk.send(", a dark one")
        await talk.shown("green")
        sent = str(server.requests[-1].body)
        assert "Summary of another branch\\n\\nBlue was named and not liked." in sent
        assert "blue" not in sent


async def test_a_summary_of_a_branch_is_stopped_and_nothing_has_changed(chats: Chats, server: ScriptedServer) -> None:
    server.add("red", "blue", Turn("too late", delay=60))
    async with chats.built(server) as talk:
        await talk.send("a color")
        await talk.send("another one")
        path = talk.session_path
        talk.type("/tree<enter>")
        await talk.shown("Session tree")
        talk.type("<end><ctrl+s>")
        await talk.until(lambda: len(server.requests) == 3)
        talk.type("<esc>")
        await talk.shown("the summary was stopped, so nothing has changed")
        assert [text for _, text in talk.said] == ["a color", "red", "another one", "blue"]
        assert talk.session_path == path


async def test_an_entry_gets_a_label(chats: Chats, server: ScriptedServer) -> None:
    server.add("red")
    async with chats.built(server) as talk:
        await talk.send("a color")
        talk.type("/tree<enter>")
        await talk.shown("Session tree")
        talk.type("<ctrl+l>")
        await talk.shown("Label")
        talk.type("start here<enter>")
        await talk.shown("start here")
        talk.type("<esc>")
        await talk.until_hidden("Session tree")
        talk.type("/tree<enter>")
        await talk.shown("start here")


async def test_a_copy_of_the_conversation_is_another_session(chats: Chats, server: ScriptedServer) -> None:
    server.add("red", "blue")
    async with chats.built(server) as talk:
        await talk.send("a color")
        old = talk.session_path
        talk.type("/clone<enter>")
        await talk.shown("a new session with the same conversation; the old one is in /sessions")
        assert [text for _, text in talk.said] == ["a color", "red"]
        assert talk.session_path != old
        talk.type("/fork<enter>")
        await talk.shown("Fork before")
        talk.type("<enter>")
        await talk.until(lambda: talk.said == [])
        await talk.settle()
        assert "› a color" in talk.screen()


async def test_the_copy_of_a_session_without_a_file_does_not_promise_that_the_old_one_is_listed(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("red")
    async with chats.built(server, no_session=True) as talk:
        await talk.send("a color")
        talk.type("/clone<enter>")
        await talk.shown("a new session with the same conversation")
        assert "/sessions" not in talk.screen()
        assert [text for _, text in talk.said] == ["a color", "red"]


async def test_context_shows_what_fills_the_window(chats: Chats, server: ScriptedServer) -> None:
    server.add("red")
    async with chats.built(server) as talk:
        await talk.send("a color")
        talk.type("/context<enter>")
        await talk.shown("of all input came from the cache")
        screen = talk.screen()
        for text in ("System prompt", "Tools", "user: a color", "assistant: red", "tokens; 0 %"):
            assert text in screen
