"""Knowledge of programs: which run others, and which arguments make a harmless program write or run something.

These lists make rules careful; they are never complete, and need not be: what is missing is covered by an allow only
if a person has allowed that program.
"""

import os
import re
from collections import deque
from collections.abc import Sequence

from zot_core.permissions.commands.wrappers import names, wrapper
from zot_core.permissions.word import GAP

RUNNERS = names(
    "R Rscript [ [[ alias awk bc bun cscript declare deno emacs enable export gawk getopts hash"
    " irb java jshell julia let local lua luajit man mawk more nano nawk node nodejs npx nvim perl"
    " php pipx powershell pwsh pypy pypy3 python python2 python3 read readonly rsync ruby scp sed"
    " set sftp shopt split sqlite3 tar test typeset unzip uvx vi view vim wish zip"
)
"""Programs that an allow never covers, as it never covers a wrapper: interpreters, and builtins that change what later
words mean."""

_VERSIONED = re.compile(r"(?:python|pypy|perl|ruby|lua|php|node|tclsh|wish)[\d.]+")

_INTERPRETERS = names(
    "R bun dc deno gnuplot guile irb julia lftp lua luajit m4 node nodejs octave perl php pypy python ruby"
)

CLIENTS = names("ftp lftp mysql psql sftp sqlite3")
"""Programs that take commands, some of which start programs, from their input unless their arguments have some."""

SCRIPTED = names("awk gawk gdb gmake just make mawk nawk psql sed")
"""Programs with an option whose value is a script."""

STORES = r"%[^\w%]*[\d.*hjlLqtz]*n"
"""A format of bash's printf that sets a variable, which may be the PATH."""

RISKY: dict[str, str] = {
    "7z": "-o",
    "apt": "-o --option -c --config-file",
    "apt-get": "-o --option -c --config-file",
    "c++": "-wrapper -B -fplugin -specs @",
    "cargo": "--config -Z",
    "cc": "-wrapper -B -fplugin -specs @",
    "clang": "-B -fplugin -load @",
    "cmake": "-E -P",
    "curl": (
        "-o -O -K -T -F -d -D -c --output --remote-name --config --upload-file --form --data"
        " --dump-header --cookie-jar --trace --json"
    ),
    "date": "-s --set",
    "fd": "-x -X --exec",
    "find": "-exec -ok -delete -fprint -fls",
    "g++": "-wrapper -B -fplugin -specs @",
    "gcc": "-wrapper -B -fplugin -specs @",
    "git": (
        "bisect config difftool filter-branch foreach maintenance mergetool"
        " -c -C -O -u -x --bare --config-env --exec --git-dir --work-tree --output --ext-diff"
        " --open-files-in-pager --upload-pack --receive-pack --textconv --template --no-index"
    ),
    "go": "-exec -toolexec -vettool -o",
    "iconv": "-o --output",
    "make": "-C -f -I --eval --file --makefile --directory --include-dir",
    "npm": "exec x explore config set --prefix --script-shell --node-options -C",
    "openssl": "-out -engine -config",
    "pnpm": "exec dlx config --prefix --dir --script-shell --node-options -C",
    "printf": "-v",
    "mypy": (
        "@ --python-executable --config-file --install-types --shadow-file --cache-dir --junit-xml --any --cobertura"
        " --html --line --txt --xml --xslt"
    ),
    "pytest": (
        "@ -p -c --rootdir --confcutdir --basetemp -o --override-ini --config-file --junit --log-file --debug"
        " --pastebin --pdbcls"
    ),
    "rg": "--pre --hostname-bin -z --search-zip",
    "rustc": "-C --codegen",
    "ruff": "@ --config -o --output-file --cache-dir",
    "sort": "-o --output --compress-program -T --temporary-directory --files0-from",
    "uv": "--directory --project --python --config-file --with",
    "wget": (
        "-O -o -a -i -P --output --append --input --directory --execute -e --config --use-askpass"
        " --post-file --body-file"
    ),
    "yarn": "exec dlx config --cwd",
}
"""Programs, and the beginnings of arguments with which they run or write something that their name does not say."""

_OPERANDS = {"uniq": 1, "xxd": 1}
"""Programs that write the file that is named after this number of others."""

_ASSIGNING = frozenset(("make", "gmake"))
"""Programs for which an argument `NAME=text` sets a variable that may be run."""

PLAIN = names(
    """
    apt apt-get base64 basename brew cat cd cksum cmake cmp column comm cut df diff dirname dnf du echo egrep export
    expr false fgrep file flake8 fmt fold gh git glab go grep groups head hostname id jest jobs join jq
    kill killall ln ls lsof md5sum meson mocha mypy ninja nl npm nproc od pacman paste pgrep pip pip3 pkill
    popd printenv printf ps pushd pwd pytest readlink realpath return rev rg ruff rustc seq sha1sum
    sha256sum shift sleep sort stat strings tac tail test tput tr tree true tsc tty type uname uniq unset
    vitest wait wc which whoami yes zcat
    """
)
"""Well-known programs that start no program that their later words name, except with the arguments in `RISKY`."""

SILENT = names(
    "basename break continue dirname echo exit export false kill printf return seq shift sleep true unset wait"
)
"""Programs whose arguments are no files."""

KEEPERS = names("[ [[ . less man more source test")
"""Programs of which nothing else is known, but which change no file that they name."""

_TEXTS = {
    "curl": names("-A -H -X -w --header --request --user-agent --write-out"),
    "gh": names("-b -t --body --title"),
    "git commit": names("-am -m --message"),
    "git merge": names("-m"),
    "git tag": names("-am -m --message"),
}
"""Programs, and options whose value is a text and no file, unless a `@` is before it."""

REPOSITORY = names("gh git hub lazygit tig")
"""Programs that take orders from the git repository in which they run."""

_SCRIPTS = ("package.json", "*.js", "*.ts", "*.mjs", "*.cjs", "*.jsx", "*.tsx")
_PYTHON = ("conftest.py", "pytest.ini", "setup.py", "setup.cfg", "pyproject.toml", "*.py")
_RECIPES: dict[str, tuple[str, ...]] = {
    "bun bunx eslint gulp jest mocha npm pnpm vite vitest webpack yarn": _SCRIPTS,
    "bundle rake": ("Gemfile", "Rakefile", "*.rb"),
    "cargo": ("Cargo.toml", "build.rs", "config.toml", "*.rs"),
    "cmake": ("CMakeLists.txt", "Makefile", "build.ninja"),
    "go": ("go.mod", "*.go"),
    "gradle gradlew": ("build.gradle", "build.gradle.kts"),
    "hatch pdm pip pip3 poetry uv": ("setup.py", "setup.cfg", "pyproject.toml"),
    "just": ("justfile", "Justfile"),
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "meson": ("meson.build",),
    "mvn": ("pom.xml",),
    "mypy": ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"),
    "ninja": ("build.ninja",),
    "node npx": ("package.json",),
    "nox": ("noxfile.py",),
    "pytest unittest": _PYTHON,
    "tox": ("tox.ini", *_PYTHON),
}
RECIPES = {name: files for row, files in _RECIPES.items() for name in row.split()}
"""Programs that run what is written in a file of the project, and the names of such files."""

STARTUP = names(
    """
    .bash_login .bash_logout .bash_profile .bashrc .envrc .exrc .gdbinit .gitconfig .inputrc .lldbinit .npmrc .pdbrc
    .pre-commit-config.yaml .profile .vimrc .zlogin .zprofile .zshenv .zshrc *.pth sitecustomize.py usercustomize.py
    """
)
"""Names of files from which programs take orders when they start, whatever their arguments are."""

WRITERS = names(
    """
    bunzip2 bzip2 chattr chgrp chmod chown cp csplit dd gunzip gzip install link ln mkdir mkfifo mknod mv patch rm rmdir
    setfacl shred sponge tee touch truncate unlink unxz unzstd xz zstd
    """
)
"""Programs whose arguments are paths that they change."""

_EDITORS = names("ed emacs ex micro nano nvim pico rsync scp split sqlite3 ssh-keygen vi vim")
"""Programs that change files too, and may start others."""

_IN_PLACE = names("awk gawk perl ruby sed")
_GIT = {
    **dict.fromkeys(names("checkout config mv restore rm"), True),
    **dict.fromkeys(
        names(
            """
            add annotate api auth blame branch browse cat-file check-attr check-ignore cherry cherry-pick commit
            commit-tree count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref fsck gc grep
            hash-object help issue label log ls-files ls-remote ls-tree merge merge-base name-rev notes pr prune pull
            push range-diff rebase reflog release remote repo reset rev-list rev-parse revert run search secret
            shortlog show show-branch show-ref status switch symbolic-ref tag update-index update-ref variable
            verify-commit verify-tag version whatchanged workflow write-tree
            """
        ),
        False,
    ),
}
"""Subcommands of git, and of programs for its servers, and whether they change the files that they name; of others that
is not known."""
_FETCHES = names("clone download")
"""Subcommands of these subcommands that make files."""
_GIT_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"))
"""Options of git before a subcommand that have a value, which may be the next word; see git(1)."""

_OUTPUT = re.compile(r"-[oO]|--?out(?:put)?(?:[-_]?(?:file|dir|document|path))?")
_WITH_OUTPUT = re.compile(rf"-[oO][^-]|(?:{_OUTPUT.pattern})=")

EXEC_FLAGS = frozenset(("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"))
"""Arguments after which another command begins; to some programs `-x` and `-X` mean another thing."""


def is_interpreter(name: str) -> bool:
    """Whether a program runs what it reads, as a shell does, when no argument names a script."""
    return name in _INTERPRETERS or _VERSIONED.fullmatch(name) is not None


def runs_others(name: str) -> bool:
    """Whether an allow never covers the program, given by its name without a folder."""
    row = wrapper(name)
    starts = row is not None and row.kind != "may run"
    return starts or name in RUNNERS or _VERSIONED.fullmatch(name) is not None


MODULES = names("mypy pytest ruff unittest")
"""Modules that `python3 -m` runs as programs, whose arguments have the same meaning then."""


def as_program(words: list[str]) -> list[str]:
    """Return the words of a command; for `python3 -m MODULE` the words of the program in the module."""
    python = bool(words) and _VERSIONED.fullmatch(f"{words[0]}3") is not None
    return words[2:] if python and words[1:2] == ["-m"] and words[2:3] and words[2] in MODULES else words


def recipes(words: list[str], written: list[str]) -> tuple[str, ...]:
    """Return the names of files of a project that a command runs; `words` come from `as_program`, `written` the ones
    of the line."""
    name = words[0].rpartition("/")[2]
    return (*RECIPES.get(name, ()), *((f"{name}.py", "__init__.py") if words != written else ()))


PREFIXES: dict[str, str] = {
    "mypy": "--strict --pretty --no-color-output --show-error-codes",
    "pytest": (
        "-q -qq -v -vv -x -s -l --lf --ff --exitfirst --quiet --verbose --last-failed --failed-first --no-header"
        " --tb=short --tb=long --tb=line --tb=no --tb=auto --tb=native -ra -rA -rs -rf"
    ),
    "ruff check": "--quiet -q --no-fix --statistics",
}
"""Programs that only run or check the paths of a project that they are given, whatever these are, and options that
change nothing of that: an answer "always" may be about all paths."""


OPTIONS = ("-", "@")
"""How words begin that are options, or files with options."""


def prefix(words: list[str]) -> list[str]:
    """Return the first words of a command whose others are paths, if a rule may be about all such paths; else none."""
    program = as_program(words)
    for name, options in PREFIXES.items():
        own = name.split()
        if program[: len(own)] == own:
            given = program[len(own) :]
            at = next((at for at, word in enumerate(given) if word not in options.split()), len(given))
            if not any(word.startswith(OPTIONS) for word in given[at:]):
                return words[: len(words) - len(given) + at]
    return []


def writes(name: str, words: list[str]) -> bool:
    """Whether a program changes files that its words name: always, or with these options."""
    if name in _IN_PLACE:
        return any(re.match(r"-[A-Za-z]*i|--in-place", word) for word in words[1:])
    if name == "git" and git_changes(words):
        return True
    if name == "tar":
        return any(re.fullmatch(r"-?[A-Za-z]*x[A-Za-z]*|--(?:extract|get)", word) for word in words[1:3])
    return name in WRITERS or name in _EDITORS or (name == "find" and "-delete" in words)


def git_changes(words: Sequence[str]) -> bool | None:
    """Whether a command of git, or of a program for its servers, changes the files that it names; None if that is not
    known."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 1 + (words[at] in _GIT_VALUED)
    found = [_GIT.get(word) for word in words[at : at + 1]]
    return None if _FETCHES.intersection(words[at + 1 : at + 2]) else (found or [False])[0]


def is_text(words: Sequence[str], before: str, word: str) -> bool:
    """Whether a word is the text of an option of a command; `before` is the word before it."""
    own = _TEXTS.get(words[0].rpartition("/")[2]) or _TEXTS.get(" ".join(words[:2]), frozenset())
    return before in own and (words[0] == "git" or not word.startswith(("@", GAP)))


def is_output(before: str, word: str) -> bool:
    """Whether a word is, or has in it, the file that a program writes; `before` is the word before it."""
    return _OUTPUT.fullmatch(before) is not None or _WITH_OUTPUT.match(word) is not None


def git_places(words: Sequence[str]) -> list[str]:
    """Return the folders to which the options of git before its subcommand lead, one from the other, and the operands
    of a `push`: in these repositories it works."""
    places: list[str] = []
    base = ""
    rest = deque(words[1:])
    while rest and rest[0].startswith("-"):
        name, separator, value = rest.popleft().partition("=")
        if name in _GIT_VALUED and not separator:
            value = rest.popleft() if rest else ""
        if name == "-C":
            base = os.path.join(base, value)
        elif name == "--git-dir":
            places.append(value)
    found = [os.path.join(base, each) for each in places]
    if "push" in [*rest][:1]:
        found += [os.path.join(base, each.removeprefix("file://")) for each in rest if not each.startswith("-")]
    return [*([base] if base else []), *found]


def begins_command(words: Sequence[str], flag: str) -> bool:
    """Whether another command begins behind an argument; one of `words` before it is the program."""
    means_other = len(flag) == 2 and any(is_plain(each) and flag not in RISKY.get(each, "").split() for each in words)
    return flag in EXEC_FLAGS and not means_other


def is_plain(name: str) -> bool:
    """Whether it is known that a program, given by its name without a folder, starts none that its words name."""
    return name in PLAIN or name in WRITERS or name in RISKY


def risky(words: Sequence[str], spelled: Sequence[str]) -> bool:
    """Whether an argument does more than the name of the program says; `spelled` are the words that a rule names."""
    name, given = words[0].rpartition("/")[2], words[1:]
    beginnings = RISKY.get(name, "").split()
    for word in given:
        if word in spelled:
            continue
        if any(_begins(word, each) for each in beginnings):
            return True
        if name in _ASSIGNING and "=" in word:
            return True
    if name == "printf" and any(re.search(STORES, word) and word not in spelled for word in given):
        return True
    operands = [word for word in given if not word.startswith("-")]
    return name in _OPERANDS and len(operands) > _OPERANDS[name]


def _begins(word: str, flag: str) -> bool:
    if flag.startswith("--"):
        # Programs also take the beginning of a long option for it.
        long = word.partition("=")[0]
        return word.startswith(flag) or (len(long) > 2 and flag.startswith(long))
    if len(flag) == 2 and flag.startswith("-"):  # also in a bundle of letters
        return word.startswith("-") and not word.startswith("--") and flag[1] in word
    return word.startswith(flag) if not flag[0].isalpha() else word == flag
