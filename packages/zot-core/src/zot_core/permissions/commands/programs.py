"""What is known of programs: which run others, and which arguments make a harmless program write or run something.

These lists make rules careful; they are never complete, and need not be: what is missing is covered by an allow only
if a person has allowed that program.
"""

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRAPPERS = _names(
    "ash bash busybox capsh chroot chrt command compgen coproc csh dash doas docker env eval exec expect fakeroot"
    " fish flock gdb ionice ksh logsave ltrace nice nocorrect noglob nohup nsenter parallel"
    " pkexec podman rlwrap run-parts runuser"
    " script setarch setpriv setsid sh ssh start-stop-daemon stdbuf strace su sudo systemd-run taskset tclsh time"
    " timeout tmux torsocks trap unbuffer unshare watch xargs xvfb-run zsh"
)
"""Programs that run the rest of their arguments, or an argument that is a line of shell."""

LAUNCHERS = WRAPPERS | _names(
    "bundle bunx cargo direnv dotenv hatch mise nix npm npx pdm pipenv pnpm poetry rye uv uvx yarn"
)
"""Programs that a deny sees through: wrappers, and programs one of whose subcommands runs a program."""

RUNNERS = WRAPPERS | _names(
    " . R Rscript [ [[ alias awk bc builtin bun cscript declare deno ed emacs enable ex export gawk getopts hash"
    " irb java jshell julia less let local lua luajit man mapfile mawk more nano nawk node nodejs npx nvim perl"
    " php pipx powershell pwsh pypy pypy3 python python2 python3 read readarray readonly rsync ruby scp screen sed"
    " set sftp shopt source split sqlite3 tar test typeset unzip uvx vi view vim wish zip"
)
"""Programs that an allow never covers: interpreters, wrappers, and builtins that change what later words mean."""

_VERSIONED = re.compile(r"(?:python|pypy|perl|ruby|lua|php|node|tclsh|wish)[\d.]+")

RISKY: dict[str, str] = {
    "7z": "-o",
    "c++": "-wrapper -B -fplugin -specs @",
    "cargo": "--config -Z",
    "cc": "-wrapper -B -fplugin -specs @",
    "clang": "-B -fplugin -load @",
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
        " -c -C -O -u -x --config-env --exec --git-dir --work-tree --output --ext-diff"
        " --open-files-in-pager --upload-pack --receive-pack --textconv --template --no-index"
    ),
    "go": "-exec -toolexec -o",
    "iconv": "-o --output",
    "make": "-C -f -I --eval --file --makefile --directory --include-dir",
    "npm": "exec x explore config set --prefix --script-shell --node-options -C",
    "openssl": "-out -engine -config",
    "pnpm": "exec dlx config --prefix --dir --script-shell --node-options -C",
    "printf": "-v",
    "pytest": "-p -c --rootdir --confcutdir --basetemp -o --override-ini",
    "rg": "--pre --hostname-bin -z --search-zip",
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
"""Programs that write the file named after so many others."""

_ASSIGNING = frozenset(("make", "gmake"))
"""Programs for which an argument `NAME=text` sets a variable that may be run."""

RECIPES: dict[str, tuple[str, ...]] = {
    "cargo": ("Cargo.toml", "build.rs"),
    "go": ("go.mod",),
    "gradle": ("build.gradle", "build.gradle.kts"),
    "gradlew": ("build.gradle", "build.gradle.kts"),
    "just": ("justfile", "Justfile"),
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "mvn": ("pom.xml",),
    "npm": ("package.json",),
    "nox": ("noxfile.py",),
    "pnpm": ("package.json",),
    "pytest": ("conftest.py", "pytest.ini"),
    "tox": ("tox.ini",),
    "yarn": ("package.json",),
}
"""Programs that run what is written in a file of the project, and the names of such files."""

WRITERS = _names("chmod chown cp dd install ln mkdir mv patch rm rmdir shred tee touch truncate unlink")
"""Programs whose arguments are paths that they change."""

EXEC_FLAGS = frozenset(("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"))
"""Arguments after which another command begins."""


def runs_others(name: str) -> bool:
    """Whether an allow never covers the program, given by its name without a folder."""
    return name in RUNNERS or _VERSIONED.fullmatch(name) is not None


def risky(words: list[str], spelled: list[str]) -> bool:
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
