"""The program in shell."""

from languages.language import Language

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
