#!/usr/bin/env bash
# Refuses commands that rewrite what others have, and edits of files that programs write. Needs jq.
set -eu
frame=$(cat)
field() { jq --raw-output "$1 // \"\"" <<<"$frame"; }

case $(field .tool_name) in
bash)
    command=$(field .tool_args.command)
    if grep -Eq 'git +push\b.*( -f\b|--force)|git +reset +--hard' <<<"$command"; then
        echo "this rewrites history; ask the user to do it" >&2
        exit 2
    fi
    ;;
edit | write)
    path=$(field .tool_args.path)
    case $path in
    generated/* | */generated/* | *.lock)
        echo "$path is written by a program; change its source" >&2
        exit 2
        ;;
    esac
    ;;
esac
