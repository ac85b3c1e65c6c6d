#!/usr/bin/env python3
"""Keeps the state of the git repository at each prompt, as entries of the session."""

from zot_ext import Event, Extension, HostError, Response, display, error

ext = Extension("git-checkpoint", "1.0.0", capabilities=("session", "exec"))


def git(*arguments: str) -> str:
    """The output of git. Raises `HostError` if it fails."""
    done = ext.programs.run(["git", *arguments], timeout_ms=20_000)
    if done["code"] != 0:
        raise HostError("failed", f"git {arguments[0]}: {done['output'].strip()}")
    return str(done["output"]).strip()


@ext.on("turn_start")
def keep(event: Event) -> None:
    if event.step != 1:  # the first model call of a prompt
        return
    try:
        commit = git("stash", "create") or git("rev-parse", "HEAD")
    except HostError:
        return  # no repository, or nothing committed yet
    kept = list(ext.session.entries(custom_type="commit"))
    if not kept or kept[-1]["data"] != commit:
        ext.session.append("commit", commit)


@ext.command("checkpoints", "list the states of the repository in this conversation")
def checkpoints(_: str) -> str:
    kept = ext.session.entries(custom_type="commit")
    return "\n".join(f"{at}. {entry['data'][:12]}" for at, entry in enumerate(kept, 1)) or "no checkpoints yet"


@ext.command("checkpoint-restore", "bring the files of a checkpoint back: /checkpoint-restore [NUMBER]")
def restore(number: str) -> Response:
    kept = [entry["data"] for entry in ext.session.entries(custom_type="commit")]
    at = int(number) if number.isdecimal() else len(kept)
    if not 0 < at <= len(kept):
        return error(f"there are {len(kept)} checkpoints")
    try:
        git("checkout", kept[at - 1], "--", ".")
    except HostError as problem:
        return error(str(problem))
    return display(f"the files are as they were at checkpoint {at}")


ext.run()
