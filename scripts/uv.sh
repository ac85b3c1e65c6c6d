#!/bin/sh
# Prints the path of uv: of the one on PATH, else of one that was downloaded into .uv/ or that pip installed, else it
# downloads uv. Where that fails, the last line on standard error says why.
root=$(cd "$(dirname "$0")/.." && pwd)
if command -v uv; then exit 0; fi
if "$root/.uv/bin/uv" --version >/dev/null 2>&1; then echo "$root/.uv/bin/uv"; exit 0; fi
python=$(command -v python3 || command -v python) || { echo "zot: python3 is needed" >&2; exit 1; }
"$python" -c 'import uv; print(uv.find_uv_bin())' 2>/dev/null && exit 0
"$python" "$root/scripts/fetch_uv.py" && echo "$root/.uv/bin/uv"
