"""The program in C."""

from languages.language import Language

C = Language(
    "c",
    "gcc",
    "lib.c",
    "tally.c",
    'gcc -o .tally tally.c lib.c && ./.tally "$@"',
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
    {
        "lib.h": """long total(const long *numbers, int count);
long largest(const long *numbers, int count);
long mean(const long *numbers, int count);
"""
    },
)
