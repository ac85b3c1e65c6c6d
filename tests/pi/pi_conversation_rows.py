"""Examples that change or answer what goes to the model: tools, guards, prompts, messages."""

import subprocess
from pathlib import Path

from pi_drive import (
    PI,
    ZOT,
    Row,
    Stage,
    Step,
    ask,
    command,
    ends,
    file,
    gone,
    keys,
    log,
    no_file,
    only,
    printed,
    requested,
    run_git,
    see,
    slash,
    stored,
    typed,
    wrote,
)

from zot_provider.testing import Call, Turn


def call(tool: str, **arguments: object) -> Turn:
    """The model calls a tool."""
    return Turn(calls=[Call(tool, arguments)])


def _committed(project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    run_git(project, "add", "-A")
    run_git(project, "commit", "-q", "-m", "first")


def _changed(project: Path) -> None:
    _committed(project)
    (project / "a.txt").write_text("two\n")


def _with_identity(project: Path) -> None:
    _changed(project)
    run_git(project, "config", "user.name", "Ada")
    run_git(project, "config", "user.email", "ada@example.org")


def _unmerged(project: Path) -> None:
    _with_identity(project)
    run_git(project, "commit", "-qam", "second")
    run_git(project, "checkout", "-q", "-b", "other", "HEAD~1")
    (project / "a.txt").write_text("three\n")
    run_git(project, "commit", "-qam", "third")
    run_git(project, "merge-base", "main", "other")
    merge = project / ".git" / "MERGE_HEAD"
    (project / "a.txt").write_text("<<<<<<< HEAD\nthree\n=======\ntwo\n>>>>>>> main\n")
    head = subprocess.run(["git", "rev-parse", "main"], cwd=project, capture_output=True, text=True, check=True).stdout
    (project / "a.txt").write_text("three\n")
    merge.unlink(missing_ok=True)
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "merge", "main"],
        cwd=project,
        capture_output=True,
        check=False,
    )
    assert head.strip()


def _stashed(stage: Stage) -> None:
    """Git has a commit of a stash that no branch has."""
    command = ["git", "fsck", "--unreachable", "--no-reflogs"]
    assert b"unreachable commit" in subprocess.run(command, cwd=stage.zot.cwd, capture_output=True, check=True).stdout


def _committed_as(subject: str) -> Step:
    """The newest commit has this subject, and nothing is left to commit."""

    def step(stage: Stage) -> None:
        def git(*words: str) -> str:
            return subprocess.run(["git", *words], cwd=stage.zot.cwd, capture_output=True, text=True, check=True).stdout

        assert (git("log", "-1", "--format=%s"), git("status", "--porcelain")) == (f"{subject}\n", "")

    return step


_LONG = "tea " * 60_000 + "One."
"""So much that there is something to compact."""

_BIG_NEWS = call("structured_output", headline="Big news", summary="It works.", actionItems=["celebrate"])

ROWS = [
    Row(
        "hello.ts",
        [ask(), see("All done."), requested("Hello, Ada!"), stored("Hello, Ada!")],
        [call("hello", name="Ada"), "All done."],
        prints="go",
    ),
    Row(
        "with-deps",
        [ask(), see("All done."), requested("2 days = 172800000 milliseconds")],
        [call("parse_duration", duration="2 days"), "All done."],
        prints="go",
    ),
    Row(
        "bash-spawn-hook.ts",
        [ask(), see("All done."), requested("hook=1")],
        [call("bash", command="echo hook=$PI_SPAWN_HOOK"), "All done."],
        prints="go",
    ),
    Row(
        "dynamic-tools.ts",
        [
            see("Registered dynamic tool: echo_session"),
            *command("add-echo-tool", "Register a new echo tool", "shout"),
            see("Registered dynamic tool: shout"),
            ask(),
            see("All done."),
            requested("[shout] hey", "[session] ho"),
        ],
        [call("shout", message="hey"), call("echo_session", message="ho"), "All done."],
    ),
    Row(
        "structured-output.ts",
        [
            ask(),
            typed(see("Big news", "1. celebrate")),
            requested("structured_output"),
            stored("Saved structured output"),
        ],
        [_BIG_NEWS, "never said"],
        prints="go",
        elsewhere={
            "atomic": Row(
                "structured-output.ts",
                [
                    ask(),
                    typed(see('{"headline":"Big news"')),
                    requested("structured_output"),
                    stored("celebrate", "tool_result"),
                ],
                [_BIG_NEWS, "never said"],
                prints="go",
            ),
        },
    ),
    Row(
        "tool-override.ts",
        [
            ask(),
            see("All done."),
            requested("Access denied", "hello file"),
            *command("read-log", "View the file access log"),
            typed(see("ALLOWED", "BLOCKED")),
        ],
        [call("read", path=".env"), call("read", path="a.txt"), "All done."],
        files={"a.txt": "hello file\n", ".env": "SECRET=1\n", "../home/.pi/agent/settings.json": "{}"},
        prints="go",
    ),
    Row(
        "truncated-tool.ts",
        [ask(), typed(see("3 matches")), see("All done."), requested("a.txt:1:needle")],
        [call("rg", pattern="needle", path="a.txt"), "All done."],
        files={"a.txt": "needle\nneedle\nneedle\n"},
        programs={"rg": "grep -nH needle a.txt"},
        prints="go",
    ),
    Row(
        "todo.ts",
        [
            ask(),
            see("All done."),
            requested("Added todo #1: buy tea"),
            *command("todos", "Show all todos"),
            typed(see("buy tea")),
            keys("\x1b"),
            gone("0/1"),
        ],
        [call("todo", action="add", text="buy tea"), "All done."],
        prints="go",
    ),
    Row(
        "question.ts",
        [
            ask(),
            see("Which colour?", "1. red", "2. blue"),
            keys("\x1b[B\r"),
            see("All done."),
            requested("User selected: 2. blue"),
        ],
        [call("question", question="Which colour?", options=[{"label": "red"}, {"label": "blue"}]), "All done."],
    ),
    Row(
        "questionnaire.ts",
        [ask(), see("Which size?", "small"), keys("\r"), see("All done."), requested("small")],
        [
            call(
                "questionnaire",
                questions=[
                    {
                        "id": "size",
                        "label": "Size",
                        "prompt": "Which size?",
                        "options": [{"value": "s", "label": "small"}, {"value": "l", "label": "large"}],
                    }
                ],
            ),
            "All done.",
        ],
    ),
    Row(
        "permission-gate.ts",
        [
            ask(),
            typed(see("Allow?", "rm -rf x")),
            keys("\x1b[B\r"),
            see("All done."),
            typed(requested("Blocked by user")),
            printed(requested("no UI for confirmation")),
            file("x/kept", "yes"),
        ],
        [call("bash", command="rm -rf x"), "All done."],
        files={"x/kept": "yes"},
        prints="go",
    ),
    Row(
        "protected-paths.ts",
        [
            ask(),
            typed(see("Blocked write to protected path: .env")),
            see("All done."),
            requested("is protected"),
            no_file(".env"),
        ],
        [call("write", path=".env", content="x"), "All done."],
        prints="go",
    ),
    Row(
        "pirate.ts",
        [
            *command("pirate", "Toggle pirate mode"),
            see("Arrr! Pirate mode enabled!"),
            ask(),
            see("Ahoy."),
            requested("You are now in PIRATE MODE"),
        ],
        ["Ahoy."],
    ),
    Row(
        "claude-rules.ts",
        [typed(see("Found 1 rule(s)")), ask(), see("Yes."), requested("## Project Rules", "- .claude/rules/style.md")],
        ["Yes."],
        files={".claude/rules/style.md": "Use tabs.\n"},
        prints="go",
    ),
    Row(
        "prompt-customizer.ts",
        [ask(), see("Yes."), requested("Use `read` for file contents")],
        ["Yes."],
        prints="go",
        elsewhere={
            "atomic": Row(
                "prompt-customizer.ts",
                [ask(), see("Yes."), requested("Use the `read` tool for file contents")],
                ["Yes."],
                prints="go",
            ),
        },
    ),
    Row(
        "input-transform.ts",
        [
            keys("\x1b[200~?quick what is zot\x1b[201~\r"),
            see("An agent."),
            requested("Respond briefly in 1-2 sentences: what is zot"),
            keys("ping\r"),
            typed(see("pong")),
        ],
        ["An agent."],
        prints="?quick what is zot",
    ),
    Row(
        "input-transform-streaming.ts",
        [keys("review my changes\r"), see("Fine."), requested("Current uncommitted changes", "a.txt")],
        ["Fine."],
        setup=_changed,
        prints="review my changes",
    ),
    Row(
        "inline-bash.ts",
        [
            keys("six is !{echo $((3+3))}\r"),
            see("Right."),
            typed(see("Expanded 1 inline command")),
            requested("six is 6"),
        ],
        ["Right."],
        prints="six is !{echo $((3+3))}",
    ),
    Row(
        "send-user-message.ts",
        [
            *command("ask", "Send a user message", "how are you"),
            see("Fine."),
            requested("how are you"),
            *command("askwith", "Send a user message with structured", "more"),
            see("Good."),
            requested("User request: more", "Please respond concisely."),
        ],
        ["Fine.", "Good."],
    ),
    Row(
        "message-renderer.ts",
        [
            *command("status", "Send a status message", "warn disk is full"),
            see("[WARN] disk is full"),
            only(ZOT, stored("disk is full")),  # pi keeps no session without an answer
            keys("\x0f"),  # Ctrl+O expands it
            see("  at "),
            ask(),
            see("Yes."),
            requested("disk is full"),
            stored("disk is full"),
        ],
        ["Yes."],
    ),
    Row(
        "entry-renderer.ts",
        [
            ask(),
            see("Yes."),
            *command("status-card", "Render a durable status card", "ready"),
            see("[status] ready"),
            stored("status-card"),
            *command("clone", "continue in a copy"),
            only(ZOT, see("a new session with the same conversation", "[status] ready"), keys("\x1bo")),
            only(PI, see("[status] ready"), keys("\x0f")),
            see("/20"),
        ],
        ["Yes."],
    ),
    Row(
        "event-bus.ts",
        [
            see("Event from event-bus-example: Session started"),
            *command("emit", "Emit my:notification", "hi there"),
            see("Event from /emit command: hi there"),
        ],
    ),
    Row(
        "provider-payload.ts",
        [ask(), see("Yes."), file(".pi/provider-payload.log", '"model": "scripted"', "[200]")],
        ["Yes."],
        files={".pi/keep": ""},
        prints="go",
    ),
    Row(
        "custom-compaction.ts",
        [
            ask("first"),
            see("One."),
            ask("second"),
            see("Two."),
            *slash("/compact"),
            only(ZOT, see("Custom compaction extension triggered"), see("Custom compaction: summarizing")),
            requested("You are a conversation summarizer.", '"model": "gemini-2.5-flash"'),
            stored("Gemini's summary."),
        ],
        [_LONG, "Two.", "Gemini's summary."],
        models={"google": "gemini-2.5-flash"},
        elsewhere={
            "atomic": Row(
                "custom-compaction.ts",
                [
                    *(ask("first"), see("One."), ask("second"), see("Two."), *slash("/compact")),
                    *(stored("[User]: first\\n[Assistant]: tea"), log("Compacted 60003 to 2 lines (extension)", 1)),
                ],
                ["tea\n" * 60_000 + "One.", "Two."],
            ),
        },
    ),
    Row(
        "trigger-compact.ts",
        [
            ask("first"),
            see("One."),
            ask("second"),
            see("Two."),
            *command("trigger-compact", "Trigger compaction immediately"),
            see("Compaction started"),
            see("Compaction completed"),
            stored("The summary."),
        ],
        [_LONG, "Two.", "The summary."],
    ),
    Row(
        "git-checkpoint.ts",
        [
            ask(),
            see("All done."),
            *slash("/fork"),
            only(ZOT, see("Fork before"), keys("\r"), see("a new session with the conversation up to there")),
            only(PI, see("Fork from Message"), keys("\r"), gone("Fork from Message")),
            _stashed,
        ],
        [call("bash", command="echo three > a.txt"), call("bash", command="echo four > a.txt"), "All done."],
        setup=_with_identity,
    ),
    Row(
        "git-merge-and-resolve.ts",
        [ask(), see("Resolved."), requested("Merged MERGE_HEAD with conflicts", "a.txt:1-5")],
        ["Looking.", call("bash", command="git add a.txt"), "Resolved."],
        setup=_unmerged,
        prints="go",
    ),
    Row(
        "auto-commit-on-exit.ts",
        [ask(), see("Fixed the bug"), keys("\x04"), typed(ends()), _committed_as("[pi] Fixed the bug")],
        ["Fixed the bug"],
        setup=_with_identity,
        prints="go",
    ),
    Row(
        "dirty-repo-guard.ts",
        [
            ask(),
            see("Yes."),
            *slash("/new"),
            see("uncommitted file(s)"),
            keys("\x1b[B\r"),
            see("Commit your changes first"),
        ],
        ["Yes."],
        setup=_changed,
    ),
    Row(
        "confirm-destructive.ts",
        [ask(), see("Yes."), *slash("/new"), see("Clear session?"), keys("\x1b"), see("Clear cancelled")],
        ["Yes."],
    ),
    Row(
        "session-name.ts",
        [
            ask(),
            see("Yes."),
            *command("session-name", "Set or show session name", "spring cleaning"),
            see("Session named: spring cleaning"),
            stored("spring cleaning"),
        ],
        ["Yes."],
    ),
    Row(
        "bookmark.ts",
        [
            ask(),
            see("Yes."),
            *command("bookmark", "Bookmark last message", "here"),
            see("Bookmarked as: here"),
            stored('"here"'),
            *command("unbookmark", "Remove bookmark"),
            see("Removed bookmark: here"),
        ],
        ["Yes."],
    ),
    Row(
        "reload-runtime.ts",
        [
            *(ask(), see("reload_runtime"), only(ZOT, log("[zot] ", 3))),  # two starts and an end
        ],
        [call("reload_runtime"), "All done."],
        elsewhere=dict.fromkeys(
            ("older", "atomic"),
            Row(
                "reload-runtime.ts",
                [ask(), see("All done.", "What is that?"), requested('"/reload-runtime"')],  # the model reads it
                [call("reload_runtime"), "All done.", "What is that?"],
            ),
        ),
    ),
    Row(
        "shutdown-command.ts",
        [ask(), typed(ends()), requested("deploy_and_exit")],
        [call("deploy_and_exit", environment="staging"), "Bye."],
        prints="go",
    ),
    Row(
        "notify.ts",
        [
            keys("\x1b[O"),  # the person looks at another window
            *(ask(), see("Yes.")),
            *(only(ZOT, wrote(b"Pi: Ready for input")), only(PI, wrote(b"\x1b]777;notify;Pi;Ready for input"))),
        ],
        ["Yes."],
    ),
]
