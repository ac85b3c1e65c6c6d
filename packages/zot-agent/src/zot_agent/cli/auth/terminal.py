"""Drives a sign-in on a terminal, or without one."""

import asyncio
import os
import sys
from collections.abc import Iterable
from contextlib import aclosing

from zot_agent.browser import open_browser
from zot_provider.auth.session import SignInSession
from zot_provider.auth.steps import (
    AskCode,
    ConfirmTerms,
    EnterCode,
    Mistake,
    NotSignedIn,
    OpenPage,
    SignedIn,
    SignInProgress,
    SignInStep,
)
from zot_provider.errors import ConfigError
from zot_tui.text.sanitize import sanitize_line


class TerminalSignIn:
    """Shows the steps of a session on standard error, and reads lines from a terminal meanwhile."""

    def __init__(self, session: SignInSession, removed: Iterable[str], *, agree: bool) -> None:
        """`removed` are variables that the browser does not get; with `agree` the terms are shown but not asked
        about."""
        self._session = session
        self._removed = list(removed)
        self._agree = agree
        self._asking = False

    async def run(self) -> str:
        """Sign in; return the last line for the person. Raises `ZotError`."""
        terminal = sys.stdin.isatty() and os.name == "posix"
        loop = asyncio.get_running_loop()
        if terminal:
            loop.add_reader(sys.stdin.fileno(), self._read)
        try:
            async with aclosing(self._session.steps()) as steps:
                async for step in steps:
                    if isinstance(step, SignedIn):
                        return step.text
                    if isinstance(step, NotSignedIn):
                        raise step.error
                    self._show(step, terminal=terminal)
        finally:
            if terminal:
                loop.remove_reader(sys.stdin.fileno())
        raise ConfigError("the sign-in ended without a result")

    def _show(self, step: SignInStep, *, terminal: bool) -> None:
        match step:
            case ConfirmTerms():
                _print(step.text)
                if self._agree:
                    self._session.agree()
                elif not terminal:
                    raise ConfigError("agree with --agree, or sign in on a terminal")
                else:
                    self._asking = True
                    sys.stderr.write("continue? (y/n) ")
                    sys.stderr.flush()
            case OpenPage():
                opened = open_browser(step.url, self._removed)
                _print("continue in the browser; if none has opened, open" if opened else "open in a browser:")
                _print(step.url)
            case AskCode() if terminal:
                _print("if the browser is on another machine, paste here the address that it shows at the end")
            case EnterCode():
                opened = open_browser(step.url, self._removed)
                _print(f"{'on the page that opens' if opened else 'open ' + step.url + ' and'} enter this code:")
                _print(f"    {step.code}")
                _print(f"it is valid for {step.seconds / 60:.0f} minutes{f'; {step.url}' if opened else ''}")
            case Mistake() | SignInProgress():
                _print(step.text)
            case _:
                pass

    def _read(self) -> None:
        """Take a line that the person has typed."""
        line = sys.stdin.readline()
        if not line:  # the end of input: nothing else will come
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        elif not self._asking:
            if line.strip():
                self._session.paste(line)
        else:
            self._asking = False
            answer = self._session.agree if line.strip().lower() in ("y", "yes") else self._session.decline
            answer()


def _print(text: str) -> None:
    sys.stderr.write(sanitize_line(text) + "\n")
    sys.stderr.flush()
