#!/bin/sh
# Prints the command that runs uv: the one on PATH, else one that pip installs for this user, else one in a private
# environment in .uv/. Prints one line on standard error and fails if none of these works.
root=$(cd "$(dirname "$0")/.." && pwd)
if command -v uv; then exit 0; fi
if [ -x "$root/.uv/bin/uv" ]; then echo "$root/.uv/bin/uv"; exit 0; fi
python=$(command -v python3 || command -v python)
if [ -n "$python" ]; then
  for try in find install; do
    if "$python" -m uv --version >/dev/null 2>&1; then echo "$python -m uv"; exit 0; fi
    [ $try = find ] && "$python" -m pip install --quiet --user uv >/dev/null 2>&1
  done
  if "$python" -m venv "$root/.uv" >/dev/null 2>&1 && "$root/.uv/bin/python" -m pip install --quiet uv >/dev/null 2>&1
  then echo "$root/.uv/bin/uv"; exit 0; fi
  rm -rf "$root/.uv"
fi
echo "zot: uv is needed to build this project; install it as https://docs.astral.sh/uv/ says, then try again" >&2
exit 1
