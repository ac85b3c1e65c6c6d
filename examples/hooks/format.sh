#!/usr/bin/env bash
# Formats the file that the model has just changed, and says so to the model. Needs jq, and a formatter.
set -eu
frame=$(cat)
field() { jq --raw-output "$1 // \"\"" <<<"$frame"; }

path=$(field .tool_args.path)
case $path in
*.go) formatter=(gofmt -w) ;;
*.py) formatter=(ruff format --quiet) ;;
*.rs) formatter=(rustfmt) ;;
*.css | *.js | *.json | *.jsx | *.md | *.ts | *.tsx) formatter=(npx --no-install prettier --write --log-level warn) ;;
*) exit 0 ;;
esac
[ "$(field .is_error)" != true ] && [ -f "$path" ] && command -v "${formatter[0]}" >/dev/null || exit 0

before=$(<"$path")
"${formatter[@]}" "$path" >&2
if [ "$(<"$path")" != "$before" ]; then
    note="[${formatter[0]} has formatted $path; read it again before the next edit]"
    jq --compact-output --arg note "$note" '{content: (.content + [{type: "text", text: $note}])}' <<<"$frame"
fi
