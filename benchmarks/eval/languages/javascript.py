"""The program in JavaScript."""

from languages.language import Language

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
