#!/bin/sh
# The commits since a tag or commit (default: the last tag; without any, all), oldest first, with the files each touches.
set -eu
since=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -n "$since" ]; then
  range="$since..HEAD"
else
  range=HEAD
fi
echo "# $range"
git log --reverse --no-merges --name-only --format='%n%h %s' "$range" --
