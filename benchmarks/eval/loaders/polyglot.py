"""Tasks from a folder of exercises in the form of Exercism's tracks: `LANGUAGE/exercises/practice/NAME`.

An exercise has `.docs/instructions.md`, and `.meta/config.json` with `files.solution` and `files.test`. The agent does
not get the tests; they are put back for the check.
"""

import json
import subprocess
import sys
from pathlib import Path

from tasks import Edit, Task

COMMANDS = {
    "python": ([sys.executable, "-m", "unittest", "discover", "-p", "*_test.py"], "python3"),
    "javascript": (["npx", "jest"], "npx"),
    "go": (["go", "test", "./..."], "go"),
    "rust": (["cargo", "test", "--quiet"], "cargo"),
    "java": (["gradle", "test", "--offline"], "gradle"),
    "cpp": (["sh", "-c", "cmake -S . -B build && cmake --build build"], "cmake"),
}
"""How the tests of a language are run, and the program that must be there."""
SECONDS = 300.0


def load(folder: Path) -> list[Task]:
    """The tasks of a folder, by language and name. Raises ValueError that names an exercise with a mistake."""
    found = []
    for place in sorted(folder.glob("*/exercises/practice/*/.meta/config.json")):
        exercise = place.parent.parent
        language = exercise.relative_to(folder).parts[0]
        if language in COMMANDS:
            try:
                found.append(_task(exercise, language, json.loads(place.read_text("utf-8"))))
            except (ValueError, KeyError, TypeError, OSError) as error:
                raise ValueError(f"{exercise}: {type(error).__name__}: {error}") from error
    return found


def _task(exercise: Path, language: str, config: dict[str, dict[str, list[str]]]) -> Task:
    command, program = COMMANDS[language]
    solutions, tests = config["files"]["solution"], config["files"]["test"]
    hidden = {name: (exercise / name).read_text("utf-8") for name in tests}
    files = {
        str(path.relative_to(exercise)): path.read_text("utf-8")
        for path in sorted(exercise.rglob("*"))
        if path.is_file() and not str(path.relative_to(exercise)).startswith((".meta", ".docs"))
    }
    for name in tests:
        files.pop(name, None)
    words = [path.read_text("utf-8") for path in sorted((exercise / ".docs").glob("*.md"))]

    def check(folder: Path) -> list[str]:
        for name, text in hidden.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        return [] if not done.returncode else [(done.stdout + done.stderr).decode("utf-8", "replace")[-300:]]

    prompt = "\n\n".join(
        [*words, f"Write the solution into {', '.join(solutions)}; tests will be run that you do not see."]
    )
    known = [exercise / name for name in config["files"].get("example", [])]
    solution = [
        Edit(name, "", path.read_text("utf-8")) for name, path in zip(solutions, known, strict=False) if path.is_file()
    ]
    return Task(f"{language}-{exercise.name}", prompt, files, check, solution, needs=(program,))
