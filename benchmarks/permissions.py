"""What it costs to judge a tool call by rules: ordinary commands, and lines that are made to take long."""

import json
from collections.abc import Iterator

from environment import Environment, Figure

_JUDGE = """if True:
    import json, os, time
    from zot_core.permissions.judge import Judge
    from zot_core.permissions.rule import parse_permissions

    rules = {
        "allow": [f"bash({each} *)" for each in "cat echo find git grep ls make npm pytest sort uv wc".split()]
        + [f"edit(src{n}/**)" for n in range(20)],
        "ask": [f"bash(git {each}*)" for each in "commit merge push rebase reset".split()],
        "deny": ["bash(rm *)", "bash(curl *)", "read(~/.ssh/**)", "read(**/.env)", "edit(.git/**)", "edit(**/*.lock)"],
    }
    judge = Judge(parse_permissions(rules, "bench").rules, "ask")
    usual = [
        "ls -la", "git status --short", "git log --oneline -20 | head -5", "cd src && grep -rn 'def main' .",
        "cat pyproject.toml README.md", "uv run pytest -q tests/test_a.py 2>&1 | tail -20",
        "find . -name '*.py' -not -path './.venv/*' | xargs wc -l | sort -n",
        "for f in *.py; do echo $f; done", "sh -c 'rm -rf build'", "cat <<'E' > notes.md\\nsome text\\nE",
    ]
    hostile = [
        "".join(f"cd a{n};" for n in range(1000)), "ls " + " ".join(f"a{n}" for n in range(1500)), "env " * 2500,
        "$(" * 3000, "sh -c '" * 1400, "a*" * 4000,
    ]

    def seconds(line):
        times = []
        for _ in range(20):
            start = time.perf_counter()
            judge.judge_command(line, os.getcwd())
            times.append(time.perf_counter() - start)
        return sorted(times)[10]

    judge.judge_command("ls", os.getcwd())
    print(json.dumps([sorted(map(seconds, lines)) for lines in (usual, hostile)]))
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Milliseconds of a judgement with 43 rules; the first one, which loads the parser, is left out."""
    usual, hostile = json.loads(environment.run([environment.python, "-c", _JUDGE]).stdout)
    scaled = 1000 * environment.scale
    yield Figure("a command judged by 43 rules", usual[len(usual) // 2] * scaled, "ms", 1)
    yield Figure("the slowest of ten usual commands", usual[-1] * scaled, "ms", 1)
    yield Figure("the slowest of lines that are made to be slow", hostile[-1] * scaled, "ms", 50)
