"""A scripted model that answers each conversation by its first message, for agents with sub-agents."""

from collections.abc import Callable

from zot_provider.request import Request
from zot_provider.testing import Turn
from zot_provider.testing.received import Received


def by_task(**answers: list[Turn | str]) -> Callable[[Received | Request], Turn]:
    """Return an answer to any request, to a client or a server: of the conversation whose first line is this text, the
    next of its answers."""

    def answer(request: Received | Request) -> Turn:
        text, count = _of_client(request) if isinstance(request, Request) else _of_server(request)
        given = answers[text][count]
        return Turn(given) if isinstance(given, str) else given

    return answer


def _of_client(request: Request) -> tuple[str, int]:
    return request.messages[0].text.partition("\n")[0], sum(each.role == "assistant" for each in request.messages)


def _of_server(request: Received) -> tuple[str, int]:
    messages = [each for each in request.body["messages"] if each["role"] != "system"]
    content = messages[0]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    return text.partition("\n")[0], sum(each["role"] == "assistant" for each in messages)
