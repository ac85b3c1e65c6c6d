"""The program in Go."""

from languages.language import Language

GO = Language(
    "go",
    "go",
    "lib.go",
    "tally.go",
    'go build -o .tally . && ./.tally "$@"',
    """package main

func total(numbers []int) int {
	result := 0
	for _, number := range numbers {
		result += number
	}
	return result
}

func largest(numbers []int) int {
	result := numbers[0]
	for _, number := range numbers {
		if number > result {
			result = number
		}
	}
	return result
}

func mean(numbers []int) int {
	return total(numbers) / len(numbers)
}
""",
    """package main

import (
	"fmt"
	"os"
	"strconv"
)

func parse_numbers(words []string) []int {
	numbers := []int{}
	for _, word := range words {
		number, err := strconv.Atoi(word)
		if err != nil {
			fmt.Fprintln(os.Stderr, "not a number")
			os.Exit(65)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

func main() {
	words := os.Args[2:]
	switch os.Args[1] {
	case "sum":
		fmt.Println(total(parse_numbers(words)))
	case "max":
		if len(words) == 0 {
			fmt.Println("none")
			return
		}
		fmt.Println(largest(parse_numbers(words)))
	case "mean":
		fmt.Println(mean(parse_numbers(words)))
	default:
		fmt.Fprintln(os.Stderr, "unknown command")
		os.Exit(64)
	}
}
""",
    {
        "start": "func largest(numbers []int) int {\n\tresult := numbers[0]",
        "wrong_start": "func largest(numbers []int) int {\n\tresult := 0",
        "comparison": "if number > result",
        "wrong_comparison": "if number < result",
        "mean": "total(numbers) / len(numbers)",
        "wrong_mean": "total(numbers) / (len(numbers) + 1)",
        "least": """
func least(numbers []int) int {
	result := numbers[0]
	for _, number := range numbers {
		if number < result {
			result = number
		}
	}
	return result
}
""",
        "use_module": '\t"strconv"\n)\n',
        "use_least": '\t"strconv"\n)\n\n',
        "broken_module": "func mean(numbers []int int {\n",
        "good_module": "func mean(numbers []int) int {\n",
        "broken_program": '\t"strcon"\n',
        "good_program": '\t"strconv"\n',
        "dispatch": '\tcase "mean":\n',
        "dispatch_least": '\tcase "min":\n\t\tfmt.Println(least(parse_numbers(words)))\n',
        "parse_function": "parse_numbers",
        "comment": "//",
    },
    {"go.mod": "module tally\n\ngo 1.20\n"},
)
