"""`Language`: the program `tally COMMAND NUMBER...` in one language.

Each language has the same files under its own names: a module, a program, a way to run it. `parts` are the pieces of
text that tasks break or add to, under the same names in each language.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Language:
    """`module` and `program` are file names, `run` is the command of `run.sh`, `needs` the program that must be there.

    `parts`: `start` and `wrong_start` (where it begins), `comparison` and
    `wrong_comparison`, `mean` and `wrong_mean`, `least` (the function to add), `use_module` and `use_least`,
    `broken_module` and `broken_program` (two mistakes in the build) with `good_module` and `good_program`, `dispatch`
    and `dispatch_least`, `parse_function` (which reads the numbers), `comment` (how one begins).
    """

    name: str
    needs: str
    module: str
    program: str
    run: str
    module_text: str
    program_text: str
    parts: dict[str, str]
    others: dict[str, str] = field(default_factory=dict)
    """More files, by name."""
