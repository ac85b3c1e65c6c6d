"""A tool whose text follows a grammar: the request, the answer, the row of the session and the request after it."""

from command import KEY, Zot
from extension_folder import write_extension

from zot_provider.testing import Call, ScriptedServer, Turn

BODY = """
@ext.tool(lark='start: /[a-z\\\\n]+/')
def patch(input: str) -> str:
    'Change files.'
    return f'{len(input)} characters'
"""


def test_a_model_writes_text_of_the_grammar_of_a_tool(zot: Zot) -> None:
    folder = write_extension(zot.cwd.parent / "patcher", BODY)
    with ScriptedServer(
        [Turn(calls=[Call("patch", "two\nlines", free_text=True)]), "done", "again"], key=KEY
    ) as server:
        where = ("--provider", "openai-responses", "--base-url", server.base_url("openai-responses"))
        flags = (*where, "--model", "gpt-5-mini", "--ext", str(folder))
        assert zot.run("-p", "go", *flags).out == "done\n"
        assert zot.run("-p", "-c", "more", *flags).out == "again\n"
        first, second, third = (request.body for request in server.requests)
    (tool,) = [each for each in first["tools"] if each["name"] == "patch"]
    assert tool["format"] == {"type": "grammar", "syntax": "lark", "definition": "start: /[a-z\\n]+/"}
    for body in (second, third):  # the second one is made from the rows of the session
        called, answered = [each for each in body["input"] if each["type"].startswith("custom_tool_call")]
        assert (called["input"], answered["output"]) == ("two\nlines", "9 characters")
