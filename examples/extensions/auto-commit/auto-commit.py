#!/usr/bin/env python3
"""Commits what the agent has changed when a prompt is answered, once that is turned on."""

from zot_ext import Event, Extension, HostError, Response, display, error

SUBJECT = 72
"""Characters of the first line of a commit."""

ext = Extension("auto-commit", "1.0.0", capabilities=("events2", "exec", "session", "storage"))


def git(*arguments: str) -> str:
    """The output of git. Raises `HostError` if it fails."""
    done = ext.programs.run(["git", *arguments], timeout_ms=30_000)
    if done["code"] != 0:
        raise HostError("failed", f"git {arguments[0]}: {done['output'].strip()}")
    return str(done["output"])


@ext.on("agent_end")
def commit(event: Event) -> None:
    if event.extra.get("reason") != "completed" or ext.kv.get("on", scope="project") is not True:
        return
    try:
        if not git("status", "--porcelain"):
            return
        prompts = list(ext.session.entries(kinds=("user",)))
        asked = " ".join(prompts[-1]["text"].split()) if prompts else "changes of an agent"
        subject = asked if len(asked) <= SUBJECT else asked[: SUBJECT - 3] + "..."
        git("add", "--all")
        git("commit", "--quiet", "--message", subject, "--message", asked)
        ext.notify(f"committed: {subject}", "success")
    except HostError as problem:
        ext.notify(str(problem), "warn")


@ext.command("auto-commit", "commit after each prompt in this project: /auto-commit on|off")
def switch(wanted: str) -> Response:
    if wanted not in ("", "on", "off"):
        return error("/auto-commit on|off")
    if wanted:
        ext.kv.set("on", wanted == "on", scope="project")
    return display("on" if ext.kv.get("on", scope="project") is True else "off")


ext.run()
