"""`READERS`: commands that run without a question in the modes ask, accept-edits and plan.

They write nothing, start nothing and reach no network with the arguments that their rows list; any other argument is
asked about. The sources are the manual pages of the programs. A row is the name of a program, for git with a
subcommand, and

- `-abc`: options that may be bundled; `-n:`: an option with a value; `=-uno`: exactly this word, also for programs that
  bundle nothing (xxd), or take a value from elsewhere in a bundle (tree);
- `--long`, also with a value behind `=`;
- `words=1`: as many arguments are no files, unless one of the options in `given=-e,-f` says so; `text`: none is one;
- `paths=-f`: options whose values are files;
- `most=0`: there are at most this number of arguments that are no options;
- `deep=*` or `deep=-r,-p`: it reads files that it does not name, always or with one of these options;
- `names=--stat`: with one of these options, and none of those in `deep`, it shows names and not what is in the files;
- `blobs`: it reads no more than the arguments if they are all like `HEAD:path`, and there are no options;
- `first=EXPRESSION`, `never=EXPRESSION`: what the first argument must be, what none may contain;
- `stars`: its arguments may begin with a wildcard, because no option of it, listed or not, does harm.

Programs also print their `--help` and `--version`. All other arguments are files, which the tool `read`
must be allowed to read.
"""

import re
from collections.abc import Iterator, Sequence

from zot_core.permissions.commands.programs import STORES
from zot_core.permissions.word import Word
from zot_provider.record import Record, field

_DIFF = """
    -pUMBwbaWRsz0123456789% -u -S: -G: --cached --staged --patch --no-patch --stat --shortstat --numstat --name-only
    --name-status --summary --raw --word-diff --color --no-color --diff-filter --find-renames --no-renames --minimal
    --histogram --patience --unified --relative --no-ext-diff --no-textconv --exit-code --quiet --check --full-index
    --abbrev --ignore-all-space --ignore-space-change --ignore-blank-lines --merge-base --text --function-context
    --no-prefix --compact-summary --dirstat --pickaxe-regex --pickaxe-all --inter-hunk-context
"""
_LOG = """
    --oneline --graph --all --decorate --no-decorate -n: --max-count --since --until --after --before --author --grep
    --committer --format --pretty --abbrev-commit --no-merges --merges --first-parent --reverse --follow -L: -i -E -F
    --date --branches --tags --remotes --skip --left-right --cherry-pick --topo-order --date-order --no-walk
    --all-match --invert-grep --perl-regexp --regexp-ignore-case --full-history --ancestry-path
"""
_PATCH = (
    "deep=*,-p,-u,-U,-S,-G,-L,-W,--patch,--unified,--function-context,--word-diff,--check"
    " names=--stat,--shortstat,--numstat,--name-only,--name-status,--summary,--dirstat"
)
_BLOB = re.compile(r"[^:]+:[^/:][^:]*")
_OBJECT = re.compile(r"[0-9a-fA-F]{4}|\^\{")
"""A sign of an object of git that may be a file, which `git show` prints with any option."""
_MOST = 1_000

_ROWS = """
base64: -di -w: --decode --ignore-garbage --wrap
basename: -az --multiple --zero text
cat: -AbEensTtuv --show-all --number --number-nonblank --squeeze-blank stars
cd: most=1
cmp: -bls -n: -i: --print-bytes --silent --quiet
comm: -123z --check-order --nocheck-order --total stars
cut: -szn -b: -c: -d: -f: --bytes --characters --delimiter --fields --only-delimited --complement --output-delimiter
    stars
date: -uRI -d: --date --utc --iso-8601 --rfc-3339 --rfc-email words=1 most=1 first=\\+.*
df: -ahHiklPT -t: -x: --all --human-readable --si --inodes --local --portability --type --print-type --total stars
diff: -abBcdeEiNqstuwyZpT -C: -U: -x: -W: -I: --brief --unified --context --side-by-side --color --recursive
    --new-file --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --exclude --width
    --no-dereference --strip-trailing-cr --suppress-common-lines --text deep=*
dirname: -z --zero text
du: -0abchkmSsx -d: -B: --all --bytes --total --human-readable --summarize --max-depth --apparent-size --exclude
echo: text
egrep: @grep
expand: -i -t: --initial --tabs
false: text
fgrep: @grep
file: -bEhiklNnrs0 --brief --mime --mime-type --mime-encoding --dereference --no-dereference --extension -F:
find: =-name =-iname =-path =-ipath =-wholename =-type =-maxdepth =-mindepth =-size =-newer =-mtime =-mmin =-ctime
    =-cmin =-atime =-amin =-empty =-print =-print0 =-printf =-prune =-not =-o =-or =-a =-and =-regex =-iregex =-perm
    =-user =-group =-ls =-P =-true =-false =-quit =-links =-inum =-depth =-readable =-writable =-executable =-mount
    =-xdev =-regextype =-daystart
fold: -bs -w: --bytes --spaces --width
git blame: -ltfnewMCcs0123456789 -L: --date --since --porcelain --line-porcelain --incremental --show-email --show-name
    --show-number --abbrev
git branch: -avr --all --list --show-current --remotes --verbose --merged --no-merged --contains --no-contains --sort
    --format --points-at --no-color --color --column --no-column =-vv most=0 never=signature
git cat-file: -tspe deep=*
git describe: --tags --always --long --abbrev --match --exclude --all --exact-match --first-parent
git diff: @diff @patch
git grep: -niIlLcwvhHoqEFGPpWzC0123456789 -e: -A: -B: -m: --count --heading --break --untracked --cached --no-color
    --color --and --or --not --ignore-case --word-regexp --name-only --line-number --max-depth --max-count --column
    --show-function --function-context --all-match words=1 given=-e deep=*
git log: @log @diff paths=-L deep=-p,-u,-U,-S,-G,-L,-W,--patch,--unified,--function-context,--word-diff,--check
git ls-files: -cdmoisuzvt -x: --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard
    --full-name --error-unmatch --directory --eol --exclude --abbrev --deduplicate
git ls-tree: -drtlz --name-only --name-status --long --full-name --full-tree --abbrev --object-only --format
git merge-base: -a --all --octopus --independent --is-ancestor --fork-point
git reflog: @log -0123456789 first=show|HEAD\\S*
git remote: -v --verbose most=0
git rev-list: @log -0123456789 --count --objects --parents --children --left-only --right-only
git rev-parse: -q --show-toplevel --abbrev-ref --short --verify --git-dir --git-common-dir --is-inside-work-tree
    --is-bare-repository --show-prefix --show-cdup --symbolic-full-name --all --branches --tags --absolute-git-dir
    --symbolic --quiet --show-superproject-working-tree
git shortlog: -snec --summary --numbered --email --since --until --no-merges --all
git show-ref: -dsq --heads --tags --head --hash --abbrev --verify --quiet
git show: @log @diff @patch blobs
git stash list: @log -0123456789 most=0
git stash show: @diff deep=*
git status: -sbvz --short --branch --porcelain --long --untracked-files --ignored --show-stash --ahead-behind
    --no-ahead-behind --no-renames --find-renames --column --no-column =-uno =-unormal =-uall =-u deep=-v
git tag: -lni0123456789 --list --sort --contains --no-contains --merged --no-merged --points-at --format --column
    most=0 never=signature
git worktree list: -vz --verbose --porcelain most=0
grep: -EFGPivwxcLlnHhoqsbaIzZUTyrC0123456789 -e: -f: -m: -A: -B: --extended-regexp --fixed-strings --perl-regexp
    --ignore-case --invert-match --word-regexp --line-regexp --count --color --colour --files-with-matches
    --files-without-match --line-number --with-filename --no-filename --only-matching --quiet --silent --no-messages
    --byte-offset --text --include --exclude --exclude-dir --recursive --max-count --after-context --before-context
    --context --regexp --null --binary-files words=1 given=-e,-f,--regexp paths=-f deep=-r,--recursive stars
head: -qvz0123456789 -n: -c: --lines --bytes --quiet --silent --verbose stars
hostname: -s most=0
id: -aGgnruz words=1 stars
join: -i -a: -e: -j: -1: -2: -o: -t: -v:
jq: -rcsneSMCaj --raw-output --compact-output --slurp --null-input --exit-status --sort-keys --monochrome-output
    --color-output --ascii-output --join-output --tab words=1
    never=\\b(env|ENV|import|include|modulemeta|input_filename)\\b
ls: -AaBbCcdFfGghHIiklmNnopQqRrSsTtUuvwXxZ1 --all --almost-all --color --classify --directory
    --group-directories-first --human-readable --si --inode --numeric-uid-gid --recursive --reverse --size --sort
    --time --time-style --full-time --format --ignore --hide --width --file-type stars
md5sum: -btz --binary --text --zero --tag stars
nl: -p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: stars
nproc: --all most=0
od: -abcdfilosxvw0123456789 -A: -j: -N: -t: stars
paste: -sz -d: --serial --delimiters
printf: text first=(?s)[^-].* @printf
pwd: -LP most=0
readlink: -fenmqsvz --canonicalize --no-newline
realpath: -emLPqsz --relative-to --relative-base
rev: stars
rg: -niISswlcovFPUuxHNhVpq0. -e: -g: -t: -T: -A: -B: -C: -m: -M: -j: -E: -d: -r: --files --hidden --no-ignore --json
    --stats --sort --sortr --type-list --heading --no-heading --color --max-depth --glob --iglob --type --type-not
    --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --fixed-strings --pcre2 --multiline --count
    --count-matches --files-with-matches --files-without-match --only-matching --invert-match --line-number
    --no-line-number --with-filename --no-filename --column --context --after-context --before-context --max-count
    --max-columns --regexp --replace --text --vimgrep --no-config --passthru --trim --null words=1
    given=-e,--regexp,--files,--type-list names=--files
    deep=*,-c,-l,--count,--count-matches,--files-with-matches,--files-without-match,--json
sed: -n words=1 first=(\\d+|\\$)(,(\\d+|\\$))?p
seq: -w -s: -f: text
sha1sum: @md5sum
sha256sum: @md5sum
sha512sum: @md5sum
sleep: text most=1
sort: -bdfgiMhnRrVcCmsuz -k: -t: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
    --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --check --stable --unique --key
    --field-separator --zero-terminated
stat: -Lftx -c: --dereference --file-system --terse --format --printf stars
strings: -adf -n: -t: -e: --all --bytes --radix never=^@
tac: -br -s: stars
tail: -qvz0123456789 -n: -c: --lines --bytes --quiet --silent --verbose
tar: -tvzjJ -f: --list words=1 first=t[vzjJ]*f paths=-f never=[:*?\\[]|^-.
test: =-b =-d =-e =-f =-h =-L =-n =-p =-r =-s =-w =-x =-z =-S =-nt =-ot =-ef =-eq =-ne =-lt =-le =-gt =-ge never=\\[
tr: -cdstC --complement --delete --squeeze-repeats --truncate-set1 text
tree: -adfhipsugDFQ =-L =-I =-P --noreport --dirsfirst --gitignore --prune --du --filelimit
true: text
type: -atpP text
uname: -asnrvmpio --all most=0
uniq: -cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields --skip-chars most=1
uptime: -ps most=0
wc: -cmlLw --bytes --chars --lines --words --max-line-length stars
which: -a text
whoami: most=0
xxd: =-a =-b =-d =-e =-E =-i =-p =-ps =-u -c: -g: -l: -o: -s: most=1
"""
_SHARED = {"@diff": _DIFF, "@patch": _PATCH, "@log": f"{_LOG} never=%\\W?G", "@printf": f"never={STORES}"}


class Reader(Record):
    """A row. `flags` and `valued` are options of one letter, `exact` and `long` words."""

    flags: frozenset[str]
    valued: frozenset[str]
    exact: frozenset[str]
    long: frozenset[str]
    words: int
    text: bool
    given: frozenset[str]
    paths: frozenset[str]
    most: int
    deep: frozenset[str]
    names: frozenset[str]
    blobs: bool
    first: str
    never: str
    stars: bool


class ReadFiles(Record):
    """The words of a command that are files, and whether it reads others in them, or in the folder where it runs."""

    words: list[Word] = field(default_factory=list)
    deep: bool = False


def _parse(rows: str) -> dict[str, Reader]:
    texts: dict[str, str] = {}
    for name, _, text in (row.partition(":") for row in rows.strip().replace("\n    ", " ").split("\n")):
        texts[name] = text
    return {name: _row(_whole(text, texts).split()) for name, text in texts.items()}


def _whole(text: str, texts: dict[str, str]) -> str:
    shared = [word for word in text.split() if word.startswith("@")]
    more = [_SHARED.get(word) or texts[word[1:]] for word in shared]
    return " ".join([*(word for word in text.split() if word not in shared), *more])


def _row(tokens: Sequence[str]) -> Reader:
    options = [token for token in tokens if token.startswith("-")]
    said = dict(token.split("=", 1) for token in tokens if re.match(r"[a-z]+=", token))
    valued = frozenset(token[1:-1] for token in options if token.endswith(":"))
    letters = frozenset("".join(token[1:] for token in options if not token.startswith("--") and token[-1] != ":"))
    return Reader(
        letters - valued,
        valued,
        frozenset(token[1:] for token in tokens if token.startswith("=")),
        frozenset(token for token in options if token.startswith("--")),
        int(said.get("words", 0)),
        "text" in tokens,
        frozenset(said.get("given", "").split(",")),
        frozenset(said.get("paths", "").split(",")),
        int(said.get("most", _MOST)),
        frozenset(said.get("deep", "").split(",")),
        frozenset(said.get("names", "").split(",")),
        "blobs" in tokens,
        said.get("first", ""),
        said.get("never", ""),
        "stars" in tokens,
    )


READERS = _parse(_ROWS)
_PROGRAMS = frozenset(name.split()[0] for name in READERS)


def shown_rows() -> Iterator[str]:
    """Yield a line for each row: the program and its options."""
    for name, row in sorted(READERS.items()):
        letters = ["-" + "".join(sorted(row.flags))] if row.flags else []
        valued = [f"-{each}=" for each in sorted(row.valued)]
        yield " ".join([name, *letters, *valued, *sorted(row.exact), *sorted(row.long)])


BUILTINS = frozenset(("cd", "echo", "false", "printf", "pwd", "test", "true", "type"))
"""Readers that bash has itself."""


def reader_name(words: Sequence[str]) -> tuple[str, int]:
    """Return the name of the row of a command and the number of its words; both empty without such a row."""
    if words and words[0] in READERS:
        return words[0], 1
    at = 1 + (len(words) > 1 and words[1] == "--no-pager")
    found = ((" ".join([*words[:1], *words[at:end]]), end) for end in (at + 2, at + 1))
    return next(((name, end) for name, end in found if name in READERS), ("", 0))


def is_reader(name: str) -> bool:
    """Whether a program, or one of its subcommands, has a row."""
    return name in _PROGRAMS


def read_files(words: Sequence[Word]) -> ReadFiles | str:
    """Return what a command reads, or why it may do more than read."""
    name, length = reader_name([word.shape if word.known else "" for word in words])
    if not name:
        return f"{words[0].shape} is not known to only read"
    row = READERS[name]
    options: set[str] = set()
    files: list[Word] = []
    operands: list[Word] = []
    rest = list(words[length:])
    while rest:
        word = rest.pop(0)
        if word.shape == "--":
            before = words[len(words) - len(rest) - 2].shape
            if (row.exact or before.startswith("--")) and any(re.match("-.", each.shape) for each in rest):
                return f"{name} may take what is behind -- for options"  # where that is a value, or one word of many
            operands += rest
            break
        if row.text or not word.shape.startswith("-") or word.shape == "-" or word.glob:
            operands.append(word)
            continue
        if operands and row.most == 1 and not row.first:
            return f"{name} may write a file of the name {word.shape}"  # of uniq and xxd, where no option may be there
        if length == 1 and word.shape in ("--help", "--version"):
            continue
        found = _option(row, word.shape)
        if found is None:
            return f"{name} {word.shape} may do more than read"
        names, value = found
        options |= names
        if value is not None:
            given = Word(value) if value or not rest else rest.pop(0)
            files += [given] if given.glob or row.never or not row.paths.isdisjoint(names) else []
    return _judged(name, row, options, files, operands)


def _option(row: Reader, shape: str) -> tuple[set[str], str | None] | None:
    """Return the options that a word has, and a value: empty if it is the next word, None without one. None if the row
    does not list them."""
    if shape in row.exact:
        return {shape}, None
    if shape.startswith("--"):
        name, _, value = shape.partition("=")
        return ({name}, value or None) if name in row.long else None
    found = set()
    for at, letter in enumerate(shape[1:], 1):
        found.add(f"-{letter}")
        if letter in row.valued:
            return found, shape[at + 1 :]
        if letter not in row.flags:
            return None
    return found, None


def _judged(name: str, row: Reader, options: set[str], files: list[Word], operands: list[Word]) -> ReadFiles | str:
    every = [*files, *operands]
    if len(operands) > row.most or (row.most < _MOST and any(word.glob for word in operands)):
        return f"{name} may do more than read with this number of arguments"
    if row.first and operands and not re.fullmatch(row.first, operands[0].shape):
        return f"{name} {operands[0].shape} may do more than read"
    if row.never and any(re.search(row.never, word.shape) for word in every):
        return f"{name} may do more than read with these arguments"
    if not row.stars and any(word.glob and word.shape[0] in "*?[-" for word in every):
        return f"the names that * stands for may be options of {name}"
    if row.text:
        return ReadFiles([word for word in operands if word.glob])
    silent = 0 if options & row.given else row.words
    if any(word.glob and word.shape[0] in "*?[" for word in every):
        options = options | row.deep  # a stranger may have named a file like one of them
    inside = row.blobs and any(_OBJECT.search(word.shape) for word in operands)
    named = (options & row.names and not options & row.deep and not inside) or (
        row.blobs and not options and bool(operands) and all(_BLOB.fullmatch(word.shape) for word in operands)
    )
    deep = not named and ("*" in row.deep or bool(options & row.deep - {""}))
    return ReadFiles([*files, *operands[silent:]], deep)
