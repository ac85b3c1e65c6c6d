"""`make eval`: how well an agent does with a model. `python benchmarks/eval --help` lists the options."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from adapters import NAMES, make_agent
from adapters.zot import VARIANTS
from loaders import polyglot, swe_bench
from outcome import OutcomeFile, read_outcomes
from report import compared, summary
from runner import RunLimits, run_tasks
from tasks import Task, own_tasks


def main(words: Sequence[str] | None = None) -> int:
    """Run, or compare two runs. Returns 0, 1 if the budget did not suffice, 2 for a wrong option."""
    options = _options(words)
    if options.compare:
        before, after = (read_outcomes(Path(each)) for each in options.compare)
        print(compared(before, after))
        return 0
    try:
        tasks = [task for task in _tasks(options) if options.only in task.id]
        agent = make_agent(options.agent, options.model, options.variants)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(task.id for task in tasks))
        return 0
    file = OutcomeFile(Path(options.out))
    limits = RunLimits(options.n, options.parallel, options.seconds, options.budget)
    enough = asyncio.run(run_tasks(tasks, agent, file, limits))
    print(summary(file.outcomes))
    if not enough:
        print(f"the budget of ${options.budget:g} is spent; a higher one continues")
    return 0 if enough else 1


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="eval", description="Measure how well an agent does with a model.")
    parser.add_argument("--agent", default="zot", choices=NAMES, help="who works; zot by default")
    parser.add_argument("--model", default="", help="the model, as the agent names it; its own default without")
    parser.add_argument(
        "--with", dest="variants", action="append", default=[], choices=VARIANTS, help="what zot has not by itself"
    )
    parser.add_argument("--only", default="", help="tasks whose name has this text")
    parser.add_argument("--list", action="store_true", help="list the tasks, and run none")
    parser.add_argument("-n", type=int, default=1, help="tries of each task")
    parser.add_argument("--parallel", type=int, default=2, help="tries at a time")
    parser.add_argument("--seconds", type=float, default=600.0, help="the longest try")
    parser.add_argument(
        "--budget", type=float, default=0.0, help="US dollars after which no try begins; 0 for no limit"
    )
    parser.add_argument("--out", default="eval.jsonl", help="the file of outcomes, which is continued")
    parser.add_argument("--compare", nargs=2, metavar="FILE", help="compare two files of outcomes, task by task")
    parser.add_argument("--swe-bench", metavar="FILE", help="take the tasks from a file in the form of SWE-bench")
    parser.add_argument("--test-command", default=swe_bench.TEST_COMMAND, help="with --swe-bench: what runs {tests}")
    parser.add_argument("--polyglot", metavar="FOLDER", help="take the tasks from a folder of Exercism's tracks")
    return parser.parse_args(words)


def _tasks(options: argparse.Namespace) -> list[Task]:
    if options.swe_bench:
        return swe_bench.load(Path(options.swe_bench), options.test_command)
    return polyglot.load(Path(options.polyglot)) if options.polyglot else own_tasks()


if __name__ == "__main__":
    sys.exit(main())
