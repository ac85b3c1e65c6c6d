"""A small program, `tally COMMAND NUMBER...`, in four languages: what the tasks are made of.

Each language has the same files under its own names: a module, a program, a way to run it. `parts` are the pieces of
text that tasks break or add to, under the same names in each language.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """`module` and `program` are file names, `run` is the command of `run.sh`, `needs` the program that must be there.

    `parts`: `empty` (what largest does without numbers), `start` and `wrong_start` (where it begins), `comparison` and
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


PYTHON = Language(
    "python",
    "python3",
    "lib.py",
    "tally.py",
    'python3 tally.py "$@"',
    """def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result


def largest(numbers):
    if not numbers:
        return "none"
    result = numbers[0]
    for number in numbers:
        if number > result:
            result = number
    return result


def mean(numbers):
    return total(numbers) // len(numbers)
""",
    """import sys

from lib import largest, mean, total


def parse_numbers(words):
    try:
        return [int(word) for word in words]
    except ValueError:
        print("not a number", file=sys.stderr)
        sys.exit(65)


def main():
    command, words = sys.argv[1], sys.argv[2:]
    if command == "sum":
        print(total(parse_numbers(words)))
    elif command == "max":
        print(largest(parse_numbers(words)))
    elif command == "mean":
        print(mean(parse_numbers(words)))
    else:
        print("unknown command", file=sys.stderr)
        sys.exit(64)


main()
""",
    {
        "empty": '    if not numbers:\n        return "none"\n',
        "start": 'return "none"\n    result = numbers[0]',
        "wrong_start": 'return "none"\n    result = 0',
        "comparison": "if number > result",
        "wrong_comparison": "if number < result",
        "mean": "total(numbers) // len(numbers)",
        "wrong_mean": "total(numbers) // (len(numbers) + 1)",
        "least": "\n\ndef least(numbers):\n    return min(numbers)\n",
        "use_module": "import largest, mean, total",
        "use_least": "import largest, least, mean, total",
        "broken_module": "def mean(numbers)\n",
        "good_module": "def mean(numbers):\n",
        "broken_program": "from libs import",
        "good_program": "from lib import",
        "dispatch": '    elif command == "mean":\n',
        "dispatch_least": '    elif command == "min":\n        print(least(parse_numbers(words)))\n',
        "parse_function": "parse_numbers",
        "comment": "#",
    },
)

JAVASCRIPT = Language(
    "javascript",
    "node",
    "lib.js",
    "tally.js",
    'node tally.js "$@"',
    """function total(numbers) {
  let result = 0;
  for (const number of numbers) result += number;
  return result;
}

function largest(numbers) {
  if (numbers.length === 0) return "none";
  let result = numbers[0];
  for (const number of numbers) if (number > result) result = number;
  return result;
}

function mean(numbers) {
  return Math.floor(total(numbers) / numbers.length);
}

module.exports = { total, largest, mean };
""",
    """const { total, largest, mean } = require("./lib");

function parse_numbers(words) {
  return words.map((word) => {
    if (!/^-?[0-9]+$/.test(word)) {
      console.error("not a number");
      process.exit(65);
    }
    return Number(word);
  });
}

const [command, ...words] = process.argv.slice(2);
if (command === "sum") {
  console.log(total(parse_numbers(words)));
} else if (command === "max") {
  console.log(largest(parse_numbers(words)));
} else if (command === "mean") {
  console.log(mean(parse_numbers(words)));
} else {
  console.error("unknown command");
  process.exit(64);
}
""",
    {
        "empty": '  if (numbers.length === 0) return "none";\n',
        "start": 'return "none";\n  let result = numbers[0];',
        "wrong_start": 'return "none";\n  let result = 0;',
        "comparison": "if (number > result)",
        "wrong_comparison": "if (number < result)",
        "mean": "total(numbers) / numbers.length",
        "wrong_mean": "total(numbers) / (numbers.length + 1)",
        "least": "\nfunction least(numbers) {\n  return Math.min(...numbers);\n}\n\nmodule.exports.least = least;\n",
        "use_module": "const { total, largest, mean }",
        "use_least": "const { total, largest, least, mean }",
        "broken_module": "function mean(numbers) {{\n",
        "good_module": "function mean(numbers) {\n",
        "broken_program": 'require("./libs")',
        "good_program": 'require("./lib")',
        "dispatch": '} else if (command === "mean") {\n',
        "dispatch_least": '} else if (command === "min") {\n  console.log(least(parse_numbers(words)));\n',
        "parse_function": "parse_numbers",
        "comment": "//",
    },
)

C = Language(
    "c",
    "cc",
    "lib.c",
    "tally.c",
    'cc -o .tally tally.c lib.c && ./.tally "$@"',
    """#include "lib.h"

long total(const long *numbers, int count) {
    long result = 0;
    for (int i = 0; i < count; i++) result += numbers[i];
    return result;
}

long largest(const long *numbers, int count) {
    long result = numbers[0];
    for (int i = 0; i < count; i++)
        if (numbers[i] > result) result = numbers[i];
    return result;
}

long mean(const long *numbers, int count) {
    return total(numbers, count) / count;
}
""",
    """#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

static long numbers[100];

static int parse_numbers(int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        char *end;
        numbers[i - 2] = strtol(argv[i], &end, 10);
        if (*end) {
            fprintf(stderr, "not a number\\n");
            exit(65);
        }
    }
    return argc - 2;
}

int main(int argc, char **argv) {
    if (!strcmp(argv[1], "sum")) {
        printf("%ld\\n", total(numbers, parse_numbers(argc, argv)));
    } else if (!strcmp(argv[1], "max")) {
        if (argc == 2) return puts("none") < 0;
        printf("%ld\\n", largest(numbers, parse_numbers(argc, argv)));
    } else if (!strcmp(argv[1], "mean")) {
        printf("%ld\\n", mean(numbers, parse_numbers(argc, argv)));
    } else {
        fprintf(stderr, "unknown command\\n");
        return 64;
    }
    return 0;
}
""",
    {
        "empty": '        if (argc == 2) return puts("none") < 0;\n',
        "start": "long largest(const long *numbers, int count) {\n    long result = numbers[0];",
        "wrong_start": "long largest(const long *numbers, int count) {\n    long result = 0;",
        "comparison": "if (numbers[i] > result)",
        "wrong_comparison": "if (numbers[i] < result)",
        "mean": "total(numbers, count) / count",
        "wrong_mean": "total(numbers, count) / (count + 1)",
        "least": """
long least(const long *numbers, int count) {
    long result = numbers[0];
    for (int i = 0; i < count; i++)
        if (numbers[i] < result) result = numbers[i];
    return result;
}
""",
        "use_module": '#include <string.h>\n\n#include "lib.h"\n',
        "use_least": '#include <string.h>\n\n#include "lib.h"\n\nlong least(const long *numbers, int count);\n',
        "broken_module": "long mean(const long *numbers, int) {\n",
        "good_module": "long mean(const long *numbers, int count) {\n",
        "broken_program": '#include <string.h>\n\n#include "libs.h"\n',
        "good_program": '#include <string.h>\n\n#include "lib.h"\n',
        "dispatch": '    } else if (!strcmp(argv[1], "mean")) {\n',
        "dispatch_least": """    } else if (!strcmp(argv[1], "min")) {
        printf("%ld\\n", least(numbers, parse_numbers(argc, argv)));
""",
        "parse_function": "parse_numbers",
        "comment": "//",
    },
)

C_HEADER = """long total(const long *numbers, int count);
long largest(const long *numbers, int count);
long mean(const long *numbers, int count);
"""

SHELL = Language(
    "shell",
    "sh",
    "lib.sh",
    "tally.sh",
    'sh tally.sh "$@"',
    """total() {
    result=0
    for number in "$@"; do result=$((result + number)); done
    echo $result
}

largest() {
    if [ $# = 0 ]; then echo none; return; fi
    result=$1
    for number in "$@"; do
        if [ "$number" -gt "$result" ]; then result=$number; fi
    done
    echo "$result"
}

mean() {
    echo $(($(total "$@") / $#))
}
""",
    """. ./lib.sh

parse_numbers() {
    for word in "$@"; do
        case ${word#-} in
            '' | *[!0-9]*) echo "not a number" >&2; exit 65 ;;
        esac
    done
}

command=$1
shift
case $command in
    sum) parse_numbers "$@"; total "$@" ;;
    max) parse_numbers "$@"; largest "$@" ;;
    mean) parse_numbers "$@"; mean "$@" ;;
    *) echo "unknown command" >&2; exit 64 ;;
esac
""",
    {
        "empty": "    if [ $# = 0 ]; then echo none; return; fi\n",
        "start": "fi\n    result=$1\n",
        "wrong_start": "fi\n    result=0\n",
        "comparison": '"$number" -gt "$result"',
        "wrong_comparison": '"$number" -lt "$result"',
        "mean": '$(total "$@") / $#',
        "wrong_mean": '$(total "$@") / ($# + 1)',
        "least": """
least() {
    result=$1
    for number in "$@"; do
        if [ "$number" -lt "$result" ]; then result=$number; fi
    done
    echo "$result"
}
""",
        "use_module": ". ./lib.sh\n",
        "use_least": ". ./lib.sh\n\n",
        "broken_module": "mean( {\n",
        "good_module": "mean() {\n",
        "broken_program": ". ./libs.sh",
        "good_program": ". ./lib.sh",
        "dispatch": "    mean) parse",
        "dispatch_least": '    min) parse_numbers "$@"; least "$@" ;;\n',
        "parse_function": "parse_numbers",
        "comment": "#",
    },
)

LANGUAGES = (PYTHON, JAVASCRIPT, C, SHELL)
