"""`ThinkTags`: the thinking that servers leave at the head of a text, between tags such as `<think>` and `</think>`.

Servers without a parser for the model's template (llama.cpp, vLLM and Ollama by default) pass it on as it is.
"""

_TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",  # Seed-OSS
    "[THINK]": "[/THINK]",  # Magistral
}
_CLOSE_ALONE = "\n</think>\n"
"""The rest of the tags where the template of the model has the first one, so that the server does not send it."""


def split_unopened(text: str) -> tuple[str, str]:
    """Return the thinking and the answer of a whole text whose thinking has only its end tag, on a line of its own; no
    thinking without that."""
    thought, closed, answer = text.partition(_CLOSE_ALONE)
    return (thought, answer.lstrip("\n")) if closed and "<think" not in thought else ("", text)


class ThinkTags:
    """Divides a text that comes in pieces into thinking and the answer, however it was cut."""

    def __init__(self) -> None:
        self._state = "head"
        self._held = ""
        self._thought = ""
        self._tag = ""

    def feed(self, piece: str) -> tuple[str, str]:
        """Return what of the text so far is known to be thinking, and to be the answer, and was not returned before."""
        if self._state == "answer":
            return "", piece
        if self._state == "between":
            piece = piece.lstrip("\n")
            self._state = "answer" if piece else "between"
            return "", piece
        text = self._held + piece
        self._held = ""
        if self._state == "head":
            begun = text.lstrip()
            self._tag = next(filter(begun.startswith, _TAGS), "")
            if not self._tag:
                if any(tag.startswith(begun) for tag in _TAGS):
                    self._held = text
                    return "", ""
                self._state = "answer"
                return "", text
            self._state, text = "thinking", begun[len(self._tag) :]
        close = _TAGS[self._tag]
        thought, closed, answer = text.partition(close)
        if closed:
            answer = answer.lstrip("\n")
            self._state = "answer" if answer else "between"
            self._thought = ""
            return thought, answer
        kept = next((size for size in range(len(close) - 1, 0, -1) if thought.endswith(close[:size])), 0)
        self._held = thought[len(thought) - kept :]
        thought = thought[: len(thought) - kept]
        self._thought += thought
        return thought, ""

    def finish(self) -> str:
        """Return what is the answer after all, at the end of the text: all of it if no `</think>` came."""
        if self._state in ("answer", "between"):
            return ""
        return self._tag + self._thought + self._held
