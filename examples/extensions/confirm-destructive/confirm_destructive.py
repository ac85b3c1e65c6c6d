#!/usr/bin/env python3
"""Asks before the conversation goes on elsewhere: in another session, in a copy, or at an earlier entry."""

from zot_ext import (
    Blocked,
    Extension,
    HostError,
    NotGranted,
    SessionForkRequest,
    SessionSwitchRequest,
    TreeRequest,
    block,
    display,
)

ext = Extension("confirm-destructive", "1.0.0", capabilities=("ui",))
refused: list[str] = []


def ask(what: str) -> Blocked | None:
    try:
        if ext.ui.confirm(what):
            return None
    except (HostError, NotGranted):  # nobody can be asked
        return None
    refused.append(what)
    return block("you said no")


@ext.intercept("session_before_switch", on_timeout="block")
def switch(change: SessionSwitchRequest) -> Blocked | None:
    return ask("Begin a new session?" if change.reason == "new" else "Leave this session for another one?")


@ext.intercept("session_before_fork", on_timeout="block")
def fork(change: SessionForkRequest) -> Blocked | None:
    return ask("Continue in a copy of this session?")


@ext.intercept("session_before_tree", on_timeout="block")
def tree(change: TreeRequest) -> Blocked | None:
    return ask("Go back in this session?")


@ext.command("refused", "what was not done")
def show(_: str) -> object:
    return display("\n".join(refused) or "nothing")


if __name__ == "__main__":
    ext.run()
