"""Figures of a run, and the comparison of two."""

import math
import statistics
from collections.abc import Sequence

from outcome import TRIES, Outcome

_Z = 1.96
"""Standard deviations on either side of 95 % of a normal distribution."""


def wilson(passed: int, tries: int) -> tuple[float, float]:
    """The 95 % interval of a rate (Wilson's), from 0 to 1."""
    if not tries:
        return 0.0, 1.0
    rate, square = passed / tries, _Z * _Z
    middle = (rate + square / (2 * tries)) / (1 + square / tries)
    half = _Z / (1 + square / tries) * math.sqrt(rate * (1 - rate) / tries + square / (4 * tries * tries))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def counted(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes that are tries."""
    return [each for each in outcomes if each.state in TRIES]


def summary(outcomes: Sequence[Outcome]) -> str:
    """The figures of a run, a line each."""
    tries = counted(outcomes)
    passed = sum(each.state == "passed" for each in tries)
    low, high = wilson(passed, len(tries))
    costs = [each.use.cost for each in tries]
    lines = [
        f"passed        {passed} of {len(tries)}"
        + (f" ({passed / len(tries):.0%}, 95 % interval {low:.0%} to {high:.0%})" if tries else ""),
        *(
            f"{state:<14}{count}, not counted as tries"
            for state in ("set-up", "error", "missing")
            if (count := sum(each.state == state for each in outcomes))
        ),
        f"steps         {_mean([each.use.steps for each in tries]):.1f} a try",
        f"tokens        {_mean([each.use.tokens for each in tries]):,.0f} a try",
        f"cost          {_dollars(costs)}",
        f"seconds       {_mean([each.seconds for each in tries]):.1f} a try",
        f"failed edits  {sum(each.use.failed_edits for each in tries)}",
        f"failed calls  {sum(each.use.failed_calls for each in tries)}",
    ]
    failed = sorted({f"  {each.task}: {'; '.join(each.reasons)[:100]}" for each in outcomes if each.state != "passed"})
    return "\n".join([*lines, *failed])


def compared(before: Sequence[Outcome], after: Sequence[Outcome]) -> str:
    """The difference of two runs on the tasks that both have, task by task, with a 95 % interval."""
    rates = [_rates(before), _rates(after)]
    common = sorted(rates[0].keys() & rates[1].keys())
    differences = [rates[1][task] - rates[0][task] for task in common]
    if not differences:
        return "the runs have no task in common"
    mean, half = _mean(differences), 0.0
    if len(differences) > 1:
        half = _Z * statistics.stdev(differences) / math.sqrt(len(differences))
    better = [task for task, change in zip(common, differences, strict=True) if change > 0]
    worse = [task for task, change in zip(common, differences, strict=True) if change < 0]
    return "\n".join(
        [
            f"tasks         {len(common)} in both runs",
            f"difference    {mean:+.1%} passed, 95 % interval {mean - half:+.1%} to {mean + half:+.1%}",
            f"better        {len(better)} {' '.join(better)}".rstrip(),
            f"worse         {len(worse)} {' '.join(worse)}".rstrip(),
            *(
                f"{name:<14}{_mean(_values(before, common, name)):,.1f} -> {_mean(_values(after, common, name)):,.1f}"
                for name in ("steps", "tokens", "failed_edits", "failed_calls")
            ),
        ]
    )


def _rates(outcomes: Sequence[Outcome]) -> dict[str, float]:
    tries: dict[str, list[float]] = {}
    for each in counted(outcomes):
        tries.setdefault(each.task, []).append(each.state == "passed")
    return {task: _mean(found) for task, found in tries.items()}


def _values(outcomes: Sequence[Outcome], tasks: Sequence[str], name: str) -> list[float]:
    return [getattr(each.use, name) for each in counted(outcomes) if each.task in tasks]


def _dollars(costs: Sequence[float | None]) -> str:
    known = [cost for cost in costs if cost is not None]
    if not known:
        return "unknown"
    return f"${sum(known):.4f}" + (f", unknown for {len(costs) - len(known)}" if len(known) < len(costs) else "")


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0
