"""`make relay`: sit in the model's chair.

A server that prints each request as a model sees it (system prompt and tools once, then only what is new), and takes
the answer from the terminal or from a file. Any agent can be pointed at it, on any wire that zot speaks.

An answer is text, and calls on lines of their own, and ends with a line that is only a dot:

    I look at the file first.
    /call read {"path": "a.txt"}
    .
"""

import argparse
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from seen import Piece, seen

from zot_provider.testing import Call, ScriptedServer, ScriptOver, Turn
from zot_provider.testing.received import Received
from zot_provider.usage import Usage

_CALL = "/call"
_END = "."
_WIRES = {"openai": "openai-chat", "anthropic": "anthropic-messages", "google": "gemini"}


class Answers:
    """The answers in some lines, one after the other."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = enumerate((line.rstrip("\n") for line in lines), 1)

    def next(self) -> Turn | None:
        """Return the next answer, None after the last one. Raises ValueError for one with a wrong call; the next
        call of this function returns the answer after it."""
        rows: list[tuple[int, str]] = []
        for number, text in self._lines:
            if text == _END:
                break
            rows.append((number, text))
        else:
            if not any(text.strip() for _, text in rows):
                return None
        calls = [_call(text, number) for number, text in rows if _is_call(text)]
        return Turn("\n".join(text for _, text in rows if not _is_call(text)).strip(), calls=calls)


def _is_call(row: str) -> bool:
    return row.split(" ", 1)[0] == _CALL


def _call(row: str, number: int) -> Call:
    name, _, arguments = row.removeprefix(_CALL).strip().partition(" ")
    try:
        value = json.loads(arguments or "{}")
    except ValueError as error:
        raise ValueError(f"line {number}: the arguments of {name} are not JSON: {error}") from error
    if not re.fullmatch(r"[\w.-]+", name) or not isinstance(value, dict):
        raise ValueError(f"line {number}: a call is a name and a JSON object, as in {_CALL} read {{}}")
    return Call(name, value)


class Relay:
    """Prints requests and answers them, one at a time. `kept` gets their bodies, as lines of JSON. A token has four
    characters, and the beginning that a request shares with an earlier one is read from a cache."""

    def __init__(self, source: Iterable[str], out: TextIO, kept: TextIO | None = None) -> None:
        self._answers = Answers(source)
        self._out, self._kept = out, kept
        self._requests: list[list[Piece]] = []
        self._lock = threading.Lock()

    def answer(self, received: Received) -> Turn:
        """Print a request, and return the answer to it. Raises `ScriptOver` after the last one."""
        with self._lock:
            if self._kept is not None:
                self._kept.write(json.dumps(received.body, ensure_ascii=False) + "\n")
                self._kept.flush()
            pieces = seen(received.body)
            known = max((_shared(each, pieces) for each in self._requests), default=0)
            self._requests.append(pieces)
            read, new = (sum(len(piece.text) for piece in part) for part in (pieces[:known], pieces[known:]))
            print(
                f"== request {len(self._requests)}: {read + new:,} characters, {new:,} of them new ==", file=self._out
            )
            for piece in pieces[known:]:
                print(f"[{piece.source}]\n{piece.text}", file=self._out)
            print("-- your answer, with a line that is only a dot at its end --", file=self._out, flush=True)
            while True:
                try:
                    turn = self._answers.next()
                except ValueError as error:
                    print(f"{error}; once more, please", file=self._out, flush=True)
                    continue
                if turn is None:
                    raise ScriptOver("there are no more answers")
                written = len(turn.text) + sum(len(call.text) for call in turn.calls)
                return turn.replace(usage=Usage(new // 4, written // 4, read // 4))


def _shared(one: Sequence[Piece], other: Sequence[Piece]) -> int:
    """Return how many pieces two requests have in common at their beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if (a.source, a.text) != (b.source, b.text):
            break
        count += 1
    return count


def main(words: Sequence[str] | None = None) -> int:
    """Serve until the answers end, or until the command has ended. Returns its exit code, 2 for a script with a
    mistake."""
    parser = argparse.ArgumentParser(prog="relay", description="Answer an agent in the place of a model.")
    parser.add_argument("--script", metavar="FILE", help="take the answers from a file, not from the terminal")
    parser.add_argument("--keep", metavar="FILE", help="write the bodies of all requests into a file")
    parser.add_argument("command", nargs="*", help="a command to run, after --; {url} in it becomes the base URL")
    options = parser.parse_args(words)
    source: Iterable[str] = sys.stdin
    if options.script:
        try:
            source = Path(options.script).read_text("utf-8").splitlines()
            checked = Answers(source)
            while checked.next():
                pass
        except (OSError, ValueError) as error:
            print(f"{options.script}, {error}", file=sys.stderr)
            return 2
    kept = Path(options.keep).open("w", encoding="utf-8") if options.keep else None  # noqa: SIM115  open until the end
    relay = Relay(source, sys.stderr if options.command else sys.stdout, kept)
    with ScriptedServer([relay.answer], repeat=True) as server:
        if options.command:
            command = [word.replace("{url}", server.base_url("openai-chat")) for word in options.command]
            return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
        for provider, wire in _WIRES.items():
            print(f"zot --provider {provider} --model relay --base-url {server.base_url(wire)}")
        print("an API key may be any word; Ctrl+C ends", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
