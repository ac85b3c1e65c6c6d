"""Going back in the tree of a session on the screen."""

from screen import Chats

from zot_provider.testing import ScriptedServer


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
            |  Enter choose · Ctrl+L label · Ctrl+T prompts or all entries · Esc close
            |  ~/work                                           ↑30 ↓15 · openai · scripted
        """)
        talk.type("<ctrl+t>blue<enter>")
        await talk.until(lambda: [text for _, text in talk.said] == ["a color", "red", "another one", "blue"])


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


async def test_context_shows_what_fills_the_window(chats: Chats, server: ScriptedServer) -> None:
    server.add("red")
    async with chats.built(server) as talk:
        await talk.send("a color")
        talk.type("/context<enter>")
        await talk.shown("of all input came from the cache")
        screen = talk.screen()
        for text in ("System prompt", "Tools", "user: a color", "assistant: red", "tokens; 0 %"):
            assert text in screen
