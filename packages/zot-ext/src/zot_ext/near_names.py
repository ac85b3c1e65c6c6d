# Copied from `zot_provider/near_names.py` by `scripts/generate_copies.py`.
"""`nearest` and `almost`: which of some names was meant; `holds_back`: whether a name says that less may run,
`withholds`: whether a name and its value do; `misnamed`: a file that is meant for another one.

What a person has written, and nobody reads, must not be ignored if it may be there for safety.
"""

import os
import re
from collections.abc import Iterable, Sequence

_ALIKE, _ALIKE_WORDS = 0.75, 0.85
"""The least similarity of two names, and of two words, from 0 to 1, as difflib counts it."""
_WORDS = (
    "approval", "approve", "blocked", "blocklist", "confirm", "confirmation", "denied", "deny", "disallow",
    "disallowed", "exclude", "excluded", "forbid", "forbidden", "guard", "guards", "isolation", "permission",
    "permissions", "prohibit", "readonly", "reject", "restrict", "restricted", "sandbox", "sandboxed", "security",
)  # fmt: skip
# Texts, since a start that finds no mistake needs none of them: `re` keeps what it has compiled.
_STEMS = (
    "^block|allowlist|approv|blacklist|blocked|blocklist|confin|confirm|denied|denies|deny|disallow|exclud|forbid|guard|isolat|"
    "jail|lockdown|permission|permit|prohibit|protect|readonly|refus|reject|safe|sandbox|secur|strict|untrusted|whitelist"
)
"""Parts of the names of fields by which programs hold something back."""
_WIDENS = "(?:always(?!ask|den|refus|reject)|auto(?!den|refus|reject)|bypass|dangerous|insecure|skip|unrestrict|unsafe)"
_UNASKED = (
    "^(?:always|auto)(?:accept|allow|approv|confirm|exec|permit|run|trust|yes|yolo)|^bypass|^dangerous"
    "|^skip.*(?:approv|ask|confirm|permission|prompt|sandbox|trust)|^(?:allowall|auto|fullauto|unsafe|yes|yolo)$"
)
"""Switches by which programs run something unasked, and by which they ask where they are off."""
_ABILITIES = """
bash connections edit elicitation env environment exec execute fetch filesystem internet network outbound read roots
shell subagents tools web write
"""
"""Words for what a program or a server may do."""
_MAY = "access allow allowed can enable enabled inherit may use with"
"""Words that can be beside them in the name of a switch."""
_CHOICES = "allow allowed except filter filtered filters hide include included omit only without"
_CHOSEN = "by calls commands functions list names servers skills subagents tools"
"""Words by which programs choose among what a server or an agent has, and words that can be beside them."""
_ASKS = "ask before first run tool tools user every me time always each"
"""Words of the names of switches by which programs ask."""
_REFUSALS = ("ask", "block", "blocked", "deny", "denied", "forbid", "never", "plan", "readonly", "refuse", "reject")
_OFF, _ANY = (False, "disabled", "false", "no", "none", "off"), (None, True, False, "", "*", "all", "any", "true")
"""Values of an ability that is not there, and of a choice that leaves everything."""
_FORM = r"(?i:\.?([a-z]{3,})(?:\.local)?(?P<end>\.(?:json[5c]?|jsn|toml|ya?ml)(?:\.txt)?)?\s*)"
_NO_LETTERS = r"[\W_]+"
_PARTS = r"[A-Z]?[a-z]{3,}|[A-Z]{4,}"
_EACH = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"


def nearest(name: str, names: Iterable[str], alike: float = _ALIKE) -> str:
    """Return the one of `names` that is most likely meant; empty if none is like it. Only letters and digits count,
    without case. `alike` is the least similarity, from 0 to 1."""
    from difflib import get_close_matches  # noqa: PLC0415  only for a mistake

    plain = folded(name)
    known = {folded(each): each for each in names}
    if plain in known:
        return known[plain]
    turned = [each for each in known if len(plain) > 2 and sorted(each) == sorted(plain)]
    close = turned or get_close_matches(plain, known, 1, alike)
    return known[close[0]] if close else ""


def almost(name: str, names: Iterable[str]) -> str:
    """Return which of `names` this is, also if one letter behind the first differs, or else an empty text. One letter
    is little enough for words among many others."""
    plain = folded(name)
    like = [each for each in names if each[:1].lower() == plain[:1] and abs(len(folded(each)) - len(plain)) < 2]
    return nearest(plain, like, _ALIKE_WORDS) if like else ""


def holds_back(name: str, *, misspelt: bool = True) -> bool:
    """Whether the name of a field says that something is forbidden or asked about. That also misspelt words count
    takes time."""
    if widens(name):
        return False
    if re.search(_STEMS, folded(name)):
        return True
    return misspelt and any(almost(part, _WORDS) for part in (name, *re.findall(_PARTS, name)))


def withholds(name: str, value: object) -> bool:
    """Whether a field that is not known says with its value that less may run, in a way that `holds_back` does not see:
    it chooses some (`"onlyTools": ["read"]`), takes an ability away (`"network": false`, `"roots": []`), or answers a
    question (`"elicitation": "deny"`)."""
    abilities, chosen = _ABILITIES.split(), _CHOSEN.split()
    words = {word.lower() for word in re.findall(_EACH, name)}
    words = {f"{word}s" if f"{word}s" in (*abilities, *chosen) else word for word in words}
    said = folded(value) if isinstance(value, str) else value
    if widens(name) or not words:
        return False
    if said in _REFUSALS:
        return True
    if said in _OFF or value == []:
        return not words.isdisjoint(abilities) and words <= {*abilities, *_MAY.split()}
    if "ask" in words and words <= {*_ASKS.split()}:
        return bool(said)
    some = bool(said) and said not in (*_ANY, ["*"])
    return some and not words.isdisjoint(_CHOICES.split()) and words <= {*_CHOICES.split(), *chosen}


def widens(name: str) -> bool:
    """Whether the name of a switch says that more may run: `autoApprove`, `skipPermissions`."""
    return re.match(_WIDENS, folded(name)) is not None


def runs_unasked(name: str) -> bool:
    """Whether the name of a switch says that something runs unasked: `autoApprove`, but not `autoUpdate`."""
    return re.match(_UNASKED, folded(name)) is not None


def misnamed(path: str, called: Sequence[str], others: Sequence[str] = ()) -> str:
    """Return the path of a file beside `path` that is probably meant for it: its name without its end is nearly one of
    `called`, and it is none of the `others`. Empty without one."""
    folder, own = os.path.split(path)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return ""
    for name in names:
        found = re.fullmatch(_FORM, name)
        if not found or name in (own, *others):
            continue
        other, stem = os.path.join(folder, name), found[1].lower()
        if not (almost(stem, called) if found["end"] else stem in called) or not os.path.isfile(other):
            continue
        if not (os.path.exists(path) and os.path.samefile(path, other)):  # a system to which case is nothing
            return other
    return ""


def folded(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(_NO_LETTERS, "", name.lower())
