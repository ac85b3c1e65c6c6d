"""`ThinkTags`: the thinking that servers leave at the head of a text, between `<think>` and `</think>`.

Servers without a parser for the model's template (llama.cpp, vLLM and Ollama by default) pass it on as it is.
"""

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkTags:
    """Divides a text that comes in pieces into thinking and the answer, however it was cut."""

    def __init__(self) -> None:
        self._state = "head"
        self._held = ""
        self._thought = ""

    def feed(self, piece: str) -> tuple[str, str]:
        """Return what of the text so far is known to be thinking, and to be the answer, and was not returned before."""
        if self._state == "answer":
            return "", piece
        text = self._held + piece
        self._held = ""
        if self._state == "head":
            begun = text.lstrip()
            if not begun.startswith(_OPEN):
                if _OPEN.startswith(begun):
                    self._held = text
                    return "", ""
                self._state = "answer"
                return "", text
            self._state, text = "thinking", begun[len(_OPEN) :]
        thought, closed, answer = text.partition(_CLOSE)
        if closed:
            self._state = "answer"
            self._thought = ""
            return thought, answer.lstrip("\n")
        kept = next((size for size in range(len(_CLOSE) - 1, 0, -1) if thought.endswith(_CLOSE[:size])), 0)
        self._held = thought[len(thought) - kept :]
        thought = thought[: len(thought) - kept]
        self._thought += thought
        return thought, ""

    def finish(self) -> str:
        """Return what is the answer after all, at the end of the text: all of it if no `</think>` came."""
        if self._state == "answer":
            return ""
        return (_OPEN if self._state == "thinking" else "") + self._thought + self._held
