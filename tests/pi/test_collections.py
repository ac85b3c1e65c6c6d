"""Public collections of extensions of pi, each installed as it is and driven: `make pi COLLECTIONS=FOLDER`, where each
collection is a clone in a folder OWNER+NAME."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pi_conversation_rows import call
from pi_drive import Row, Step, ask, command, gone, keys, requested, run_git, see

pytestmark = pytest.mark.needs("node", "npm", "pi")

Drive = Callable[[str, Row], None]
Driven = Callable[..., None]
Steps = list[Step | list[Step]]


@pytest.fixture
def run(driven: Driven, request: pytest.FixtureRequest) -> Drive:
    """Drives a collection."""
    clones = Path(request.config.getoption("pi_collections"))
    return lambda name, row: driven(name.replace("+", "/"), str(clones / name), row)


def test_todos_goals_questions_reviews_and_side_chats_of_agent_stuff(run: Drive) -> None:
    questions = {"questions": [{"question": "Which colour?"}]}
    steps: Steps = [
        *(ask("note it"), see("Noted."), requested("buy tea"), requested("pip is disabled. Use uv instead")),
        *(command("todos", "List todos"), see("Type to search •"), keys("\x1b"), gone("Type to search •")),
        *(
            command("btw:2", "Open a simple BTW", "when is low water?"),
            see("At six."),
            keys("\x1b"),
            see("Keep side thread"),
        ),
        *(
            keys("\r"),
            gone("Keep side thread"),
            ask("ask me"),
            see("Which colour do you want?"),
            command("answer", "Extract questions"),
        ),
        *(see("Q: Which colour?"), keys("red\r"), see("Submit all answers?"), keys("\r"), see("Red it is.")),
        *(command("files", "Browse files"), see("a.txt [??]", "Type to filter"), keys("\x1b"), gone("Type to filter")),
        *(command("goal", "Set or view the goal", "write the tests"), see("Written.", "Done with it.")),
        *(requested("Continue working toward the active thread goal"), see("Goal complete")),
    ]
    says = [
        *(call("todo", action="create", title="buy tea"), call("bash", command="pip install x"), "Noted."),
        *("At six.", "Which colour do you want?", json.dumps(questions), "Red it is."),
        *("Written.", call("update_goal", status="complete"), "Done with it."),
    ]
    run(
        "mitsuhiko+agent-stuff",
        Row("agent-stuff", steps, says, files={"a.txt": "one\n"}, models={"anthropic": "claude-haiku-4-5"}),
    )


def test_questions_todos_and_files_of_agent_extensions(run: Drive) -> None:
    question = {"question": "Which colour?", "options": [{"label": "red"}, {"label": "blue"}]}
    steps: Steps = [
        *(ask("decide"), see("Which colour?"), keys("\r"), see("Red it is."), requested("A1: red")),
        *(
            command("context-simple", "Show loaded context"),
            see("Window: ", "Session: "),
            keys("\x1b"),
            gone("Window: "),
        ),
        *(ask("note it"), see("Noted."), requested("buy tea"), command("files", "Browse files"), see("Type to filter")),
    ]
    says = [
        call("ask_user", questions=[question]),
        "Red it is.",
        call("todo", action="create", title="buy tea"),
        "Noted.",
    ]
    run(
        "jayshah5696+pi-agent-extensions",
        Row("agent-extensions", steps, says, files={"a.txt": "one\n"}),
    )


def test_loops_code_and_pastes_of_pi_extensions(run: Drive) -> None:
    start = {"name": "tides", "taskContent": "# Tides\\n- [ ] look", "maxIterations": 3}
    steps: Steps = [
        *(
            ask("show me"),
            see("Here it is."),
            command("code", "Pick code"),
            see("Enter copy"),
            keys("\x1b"),
            gone("Enter copy"),
        ),
        *(command("paste", "Arm raw paste"), keys("\x1b[200~one\rtwo\rthree\x1b[201~"), see("one", "two", "three")),
        keys("\x15\x15\x15"),
        *(ask("begin"), see("Not yet."), requested("RALPH LOOP: tides", "Iteration 1 complete")),
    ]
    says = [
        "Here it is.\n\n```sh\necho from-the-code\n```\n",
        *(call("ralph_start", **start), "Started.", call("ralph_done"), "One done.", "Not yet."),
    ]
    run("tmustier+pi-extensions", Row("pi-extensions", steps, says))


def _folder(request: pytest.FixtureRequest) -> Path:
    return Path(request.config.getoption("pi_collections")) / "sids+pi-extensions"


def test_saved_prompts_mentioned_skills_a_status_and_other_drawings_of_tools_of_sids(
    driven: Driven, request: pytest.FixtureRequest
) -> None:
    skill = "---\nname: tides\ndescription: Know the tides.\n---\nLook at the table.\n"
    edit = {"oldText": "tides", "newText": "waves"}
    steps: Steps = [
        *(see("-- agent · "), keys("buy some tea\x1bs"), see("Saved prompt"), gone("buy some tea")),
        *(keys("\x1bS"), see("Saved prompts (1)"), keys("\r"), gone("Saved prompts ("), see("buy some tea")),
        *(keys("\x15"), ask("look at $tides"), see("All read."), requested("skills/tides/SKILL.md")),
        see("loaded 2 lines", "edit notes.md (1 block)", "diff • +1 • -1", "the waves of Leith"),
        *(command("custom-status", "Toggle custom status"), see("Custom status disabled"), gone(" · 0m session")),
    ]
    says = [call("read", path="notes.md"), call("edit", path="notes.md", edits=[edit]), "All read."]
    files = {f"../{place}/skills/tides/SKILL.md": skill for place in ("zot-home", "home/.pi/agent")}
    others = (str(_folder(request) / name) for name in ("mention-skills", "status", "tool-display"))
    more = [word for other in others for word in ("-e", other)]
    row = Row("sids", steps, says, files=files | {"notes.md": "the tides of Leith\n"}, arguments=more)
    driven("sids/pi-extensions", _folder(request) / "prompt-save", row)


def test_findings_of_a_review_are_sorted_by_the_person_and_sent_with_review_of_sids(
    driven: Driven, request: pytest.FixtureRequest
) -> None:
    def change(project: Path) -> None:
        run_git(project, "commit", "-q", "--allow-empty", "-m", "first")
        (project / "a.txt").write_text("two\n")

    finding = {"priority": "P1", "comment": "Two is not one", "references": [{"filePath": "a.txt", "startLine": 1}]}
    steps: Steps = [
        *(ask("hello"), see("Hi there."), command("review", "Toggle review mode"), see("Start review in:")),
        *(keys("\x1b[B\r"), see("Review uncommitted changes"), keys("\r"), see("Review mode ready"), keys("\r")),
        *(see("All reviewed."), requested("[REVIEW MODE ACTIVE]"), command("review", "Toggle review mode")),
        *(see("Review Triage", "[P1] Two is not one"), keys("\r"), see("Enter confirm"), keys("\r")),
        *(see("Address the review comment"), keys("\r"), see("Mended."), requested("Two is not one")),
    ]
    says = ["Hi there.", call("add_review_comment", **finding), "All reviewed.", "Mended."]
    # pi 1.6 does not find its own pi-tui when this extension draws.
    row = Row("review", steps, says, setup=change)
    driven("sids/pi-extensions/review", _folder(request) / "review", row, in_pi=False)
