#!/usr/bin/env python3
"""Suggests the open issues of the project's repository on GitHub after `#`."""

import json
import os
import re
import subprocess
import time
import urllib.request
from typing import Any

from zot_ext import CompletionRequest, Extension, Response, Suggestion, display, error

ext = Extension("github-issue-autocomplete", "1.0.0")
FRESH = 300.0
"""Seconds for which a list of issues is used."""
NAME = r"[\w.-]+/[\w.-]+?"

repository = ""
issues: list[dict[str, Any]] = []
read_at = float("-inf")


@ext.completer("#")
def suggest(asked: CompletionRequest) -> list[Suggestion]:
    words = asked.prefix.lower().split("-")
    return [
        Suggestion(f"#{issue['number']}", f"#{issue['number']} {issue['title']}", issue["user"]["login"])
        for issue in current()
        if str(issue["number"]).startswith(asked.prefix) or all(word in issue["title"].lower() for word in words)
    ]


@ext.command("issues", "read the open issues of a repository: /issues [owner/name]")
def reread(name: str) -> Response:
    global repository, read_at
    if name and not re.fullmatch(NAME, name):
        return error("/issues [owner/name]")
    repository, read_at = name or repository, float("-inf")
    try:
        count = len(current())
    except (OSError, ValueError) as problem:
        return error(f"the issues of {repository or 'this project'} cannot be read: {problem}")
    return display(f"{count} open issues in {repository}" if repository else "this project is not on GitHub")


def current() -> list[dict[str, Any]]:
    """The open issues, read again when they are old."""
    global issues, read_at, repository
    repository = repository or origin()
    if repository and time.monotonic() - read_at > FRESH:
        base = os.environ.get("GITHUB_API_URL", "https://api.github.com")
        request = urllib.request.Request(f"{base}/repos/{repository}/issues?state=open&per_page=100")
        if token := os.environ.get("GITHUB_TOKEN"):
            request.add_header("authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=2) as answer:
            issues = [each for each in json.load(answer) if "pull_request" not in each]
        read_at = time.monotonic()
    return issues


def origin() -> str:
    """The repository on GitHub that the project was cloned from; empty if there is none."""
    command = ["git", "-C", ext.host.cwd or ".", "remote", "get-url", "origin"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2)
    named = re.search(rf"github\.com[:/]({NAME})(?:\.git)?$", found.stdout.strip())
    return named[1] if named else ""


ext.run()
