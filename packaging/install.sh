#!/bin/sh
# Installs zot for the person who runs it, and says what it did:
#
#   curl -LsSf https://OWNER.github.io/zot/install.sh | sh
#
# 1. It takes the uv that is there, else downloads one into ~/.local/bin and compares its SHA-256 with the one below.
# 2. `uv tool install` puts zot and what it needs into an environment of their own.
# 3. Completions go to where bash and fish look for those of a person.
#
# It needs curl or wget, changes no file of your shell, and never asks for the rights of another user. To take zot away:
# https://OWNER.github.io/zot/latest/install/#remove-it. To change where things go: UV_INSTALL_DIR, UV_TOOL_DIR, UV_TOOL_BIN_DIR.
set -eu

ZOT=0.1.0

# The wheels of uv at PyPI, by system: SHA-256 and address. `make version` writes them as uv.lock has them.
wheels() {
  cat <<'END'
Linux-x86_64 d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19 https://files.pythonhosted.org/packages/3d/aa/26d64642d808de4a652579ef950d7cd2d37f080a8babf9c67c6b75fc4c3f/uv-0.13.9-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl
Linux-x86_64-musl 2c45530751517d6c3bbc69a19473f6effe47cce047bede01ffd8af7ea7b36b25 https://files.pythonhosted.org/packages/fe/fe/794884de0efd3ac77a427cab21aa72c0483e100c55a42cd5cbb02c141b84/uv-0.13.9-py3-none-musllinux_1_1_x86_64.whl
Linux-aarch64 5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe https://files.pythonhosted.org/packages/57/15/94b6cd62ac3ff6550288328e8035288875197cbc183f51554b266a69877b/uv-0.13.9-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl
Linux-aarch64-musl 5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe https://files.pythonhosted.org/packages/57/15/94b6cd62ac3ff6550288328e8035288875197cbc183f51554b266a69877b/uv-0.13.9-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl
Darwin-arm64 66c512266d633bef48384a1f53003f41f2a8e7b36fe6e7fbfd3e0fd52d96fa63 https://files.pythonhosted.org/packages/f3/a7/a8d7b074798c7fb3b26b37584b8fe2e29df2ccdc24ce7902caab2a53edbf/uv-0.13.9-py3-none-macosx_11_0_arm64.whl
Darwin-x86_64 c16ed11e013557536b3e60065f1b912f6407bd6518e041b961e23ef9e6b4fbf5 https://files.pythonhosted.org/packages/1e/db/08e9ef4879bd667e6d7b4705e594e5bd3e4585f10fc63cb16b9fa2fac63e/uv-0.13.9-py3-none-macosx_10_12_x86_64.whl
END
}

say() { printf '%s\n' "zot: $*" >&2; }

said=
fail() {
  said=yes
  say "$*"
  exit 1
}

# However the script ends, its last line says so.
end() {
  rm -rf "$scratch"
  [ "$1" = 0 ] || [ -n "$said" ] || say "stopped before all was done; see above"
}

has() { command -v "$1" >/dev/null 2>&1; }

# What is downloaded comes over TLS, but from a machine that is named by its address, as in tests and companies.
download() {
  if has curl; then
    curl --fail --silent --show-error --location --connect-timeout 30 --max-time 600 --output "$2" "$1"
  elif has wget; then
    # That of busybox has neither long options nor, in Debian, a limit.
    case $(wget --help 2>&1) in
      *--tries*) wget -q -T 60 -t 2 -O "$2" "$1" ;;
      *-T*) wget -q -T 60 -O "$2" "$1" ;;
      *) wget -q -O "$2" "$1" ;;
    esac
  else
    fail "curl or wget is needed"
  fi || fail "$1 cannot be downloaded"
}

# Sets `sum`.
sha256() {
  if has sha256sum; then
    sum=$(sha256sum "$1")
  elif has shasum; then
    sum=$(shasum -a 256 "$1")
  elif has openssl; then
    sum=$(openssl dgst -sha256 -r "$1")
  else
    fail "sha256sum, shasum or openssl is needed"
  fi
  sum=${sum%% *}
}

# A wheel is a zip archive; few machines have none of these.
unpack() {
  if has unzip; then
    unzip -q "$1" -d "$2"
  elif has python3 && python3 -m zipfile -e "$1" "$2" 2>/dev/null; then
    return
  elif has bsdtar; then
    bsdtar -xf "$1" -C "$2"
  else
    tar -xf "$1" -C "$2" 2>/dev/null || fail "unzip or python3 is needed"
  fi
}

install_uv() {
  system=$(uname -s)-$(uname -m)
  for loader in /lib/ld-musl-*; do
    if [ -e "$loader" ]; then system=$system-musl; fi
    break
  done
  row=$(wheels | grep "^$system ") || fail "uv has no wheel for $system: install uv as https://docs.astral.sh/uv/ says"
  url=${row##* }
  wanted=${row#* }
  wanted=${wanted% *}
  say "downloading ${url##*/}"
  download "$url" "$scratch/uv.whl"
  sha256 "$scratch/uv.whl"
  [ "$sum" = "$wanted" ] || fail "${url##*/} is not the file that this script was made for"
  mkdir "$scratch/uv"
  unpack "$scratch/uv.whl" "$scratch/uv"
  bin=${UV_INSTALL_DIR:-$HOME/.local/bin}
  mkdir -p "$bin"
  for program in uv uvx; do
    for from in "$scratch"/uv/uv-*.data/scripts/"$program"; do
      if [ -f "$from" ]; then
        chmod 755 "$from"
        mv "$from" "$bin/$program"
        say "installed $bin/$program"
      fi
    done
  done
  uv=$bin/uv
}

# A uv that is too old does not know what is asked for here and needed below.
find_uv() {
  for uv in uv "${UV_INSTALL_DIR:-$HOME/.local/bin}/uv"; do
    if "$uv" tool dir --bin >/dev/null 2>&1; then return; fi
    if old=$("$uv" --version 2>/dev/null); then say "$(command -v "$uv") is too old or does not work: $old"; fi
  done
  install_uv
}

# A shell that is not there needs none, and a folder that cannot be written is no reason to fail.
install_completions() {
  has "$1" || return 0
  if mkdir -p "${2%/*}" 2>/dev/null && "$zot" completions "$1" >"$scratch/completion" && mv "$scratch/completion" "$2"; then
    say "installed $2"
  else
    say "no completions for $1: $2 cannot be written"
  fi
}

main() {
  [ -n "${HOME:-}" ] || fail "HOME is not set"
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/zot-install.XXXXXX") || fail "no folder for temporary files"
  trap 'end $?' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  find_uv
  # A later Python is one that zot was not tried with, and that a package which `zot acp` needs refuses.
  export UV_PYTHON="${UV_PYTHON:->=3.11,<3.15}"
  # One that is there keeps its extras, and the line of versions that its person chose. With == uv would keep this
  # version for ever, and `zot update` would do nothing.
  { "$uv" tool list 2>/dev/null | grep '^zot-agent ' >/dev/null && "$uv" tool upgrade zot-agent; } ||
    "$uv" tool install "zot-agent>=$ZOT" || fail "uv could not install zot-agent $ZOT; see above"
  folder=$("$uv" tool dir --bin)
  zot=$folder/zot
  version=$("$zot" --version) || fail "$zot was installed and does not run"
  say "installed $zot ($version)"
  install_completions bash "${XDG_DATA_HOME:-$HOME/.local/share}/bash-completion/completions/zot"
  install_completions fish "${XDG_CONFIG_HOME:-$HOME/.config}/fish/completions/zot.fish"
  if has zsh; then say 'for completions in zsh, add this line to ~/.zshrc: source <(zot completions zsh)'; fi
  case :$PATH: in
    *:"$folder":*)
      first=$(command -v zot)
      if [ "$first" = "$zot" ]; then say "begin with: zot"; else say "begin with: $zot; $first comes before it on your PATH"; fi
      ;;
    *)
      say "$folder is not on your PATH. Add it, or run: $uv tool update-shell"
      say "begin with: $zot"
      ;;
  esac
}

main "$@"
