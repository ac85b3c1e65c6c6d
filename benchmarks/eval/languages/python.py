"""The program in Python."""

from languages.language import Language

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
