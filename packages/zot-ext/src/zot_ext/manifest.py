"""`Manifest`: the content of `extension.json`, read by the host and by tools for authors."""

from __future__ import annotations

import json
import os

from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.kinds import read_record
from zot_ext.protocol.permissions import ExtensionPermissions, check_permissions
from zot_ext.protocol.raw import parse_object
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.protocol.flags import ExtensionFlag
    from zot_ext.protocol.raw import RawObject

MANIFEST_FILE = "extension.json"
MANIFEST_BYTES = 1 << 20
"""The most bytes of a manifest."""
THEME_FILES = ("theme.json", "themes/theme.json")
"""An extension with one of these files needs no program."""


class ManifestError(ValueError):
    """A manifest is invalid. The message is one line and names the field. `guards`: it may be that of a guard, because
    it names some, or cannot be read whole."""

    def __init__(self, message: str, *, guards: bool = False) -> None:
        super().__init__(message)
        self.guards = guards


class Manifest(Record):
    """The record in `extension.json`. Unknown fields are ignored; a `null` field counts as absent."""

    name: str
    """Identifies the extension; the name in its `hello` should be the same."""
    version: str = ""
    exec: str = ""
    """The program: an absolute path, a path with `/` relative to the directory of the manifest, or a name on the
    PATH. Empty for an extension that only has themes, skills or prompts, which is never started."""
    args: tuple[str, ...] = ()
    """Arguments after `exec`."""
    language: str = ""
    """Information only: `go`, `python`, `typescript`, ..."""
    description: str = ""
    enabled: bool = True
    skills: tuple[str, ...] = ()
    """The skills of the extension, as paths relative to its directory: a `SKILL.md`, a folder with one, or a folder of
    such folders. These paths and the next ones must not lead out of the directory."""
    prompts: tuple[str, ...] = ()
    """Its prompt templates: `NAME.md`, or a folder of such files."""
    themes: tuple[str, ...] = ()
    """Its themes: `NAME.json`, or a folder of such files."""
    env: tuple[str, ...] = ()
    """Environment variables with keys of model providers that the program needs; the host removes all others."""
    flags: tuple[ExtensionFlag, ...] = ()
    """Flags that the extension adds to the command line of zot. Their values are in `hello_ack`."""
    dependencies: tuple[str, ...] = ()
    """Python packages that the program needs, as in `pip install`; they get their own environment."""
    remember: bool = False
    """The registrations of the last run are used until it registers again, so that a start need not wait for
    it. The program registers the same every time, unless something has changed."""
    guards: RawObject | None = None
    """The events that the program intercepts as a guard, by name, each an object with `on_timeout` and `on_exit`, as in
    `subscribe.intercept_options`. They count from the start on, and also if the program does not run."""
    providers: RawObject | None = None
    """The providers of models that it serves, by name, each an object as in `register_provider`, which is empty if the
    program describes the provider. No other provider can be registered."""
    editor_modes: RawObject | None = None
    """Modes of the editor, by name: keys and what they do. The first is the one to begin with."""
    pi: tuple[str, ...] = ()
    """Extensions written for pi, as paths below the directory: files, folders of them, or folders with a
    `package.json`. zot's bridge runs them, in place of `exec`."""
    permissions: ExtensionPermissions | None = None
    """The permissions of the program; without the field it may do everything that its user may."""


def parse_manifest(text: str | bytes, *, has_theme: bool = False) -> Manifest:
    """Read the text of an `extension.json`; a byte order mark is tolerated.

    `has_theme`: one of `THEME_FILES` is beside the manifest. `exec` may be missing only then, or if there are
    `skills`, `prompts`, `themes`, `providers` or `editor_modes`. Raises `ManifestError`.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            raise ManifestError(f"{MANIFEST_FILE}: not UTF-8 text", guards=True) from None
    try:
        text = text.removeprefix("\ufeff")
        members = {name: value for name, (value, _) in parse_object(text).items()}
        json.loads(text, object_pairs_hook=_check_once, parse_int=str)
    except (FrameError, RecursionError) as error:
        raise ManifestError(f"{MANIFEST_FILE}: {error}", guards=True) from None
    try:
        return _read(members, has_theme=has_theme)
    except ManifestError as error:
        raise ManifestError(str(error), guards=_names_guards(members)) from None


def _check_once(members: list[tuple[str, object]]) -> None:
    """Raise `FrameError` for a name that is there twice: the last one might take back what the first holds back."""
    names = [name for name, _ in members]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise FrameError("is there twice", field=twice[:40])


def _names_guards(members: dict[str, object]) -> bool:
    """Whether an extension that is not disabled has guards, or a field that is probably meant to name them."""
    return members.get("enabled") is not False and any(_near(name) == "guards" for name in members)


def _near(name: str) -> str:
    """Return the name of the field that narrows which a name resembles; empty if it resembles none."""
    from zot_ext.near_names import nearest  # noqa: PLC0415  few manifests have unknown fields

    near = nearest(name, (*_NARROWING, *_OF_GUARDS), 0.8) or ("guards" if name.casefold().startswith(_GUARDING) else "")
    return "guards" if near in _OF_GUARDS else {"disabled": "enabled"}.get(near, near)


def _read(members: dict[str, object], *, has_theme: bool) -> Manifest:
    """Return the manifest with these members. Raises `ManifestError`."""
    try:
        _check_narrowing(members)
        manifest = read_record(Manifest, members, {}, "")
        if manifest.permissions is not None:
            check_permissions(manifest.permissions)
        if manifest.flags:
            from zot_ext.protocol.flags import check_flags  # noqa: PLC0415  few extensions have flags

            check_flags(manifest.flags)
        _check_providers(manifest)
        if manifest.guards is not None:
            from zot_ext.protocol.guards import check_guards  # noqa: PLC0415  as above

            check_guards(manifest.guards.value, manifest.permissions)
    except FrameError as error:
        raise ManifestError(f"{MANIFEST_FILE}: {error}") from None
    if not manifest.name.strip():
        raise ManifestError(f"{MANIFEST_FILE}: field 'name' is missing or empty")
    if manifest.exec.strip() and manifest.pi:
        raise ManifestError(f"{MANIFEST_FILE}: fields 'exec' and 'pi' cannot both say what runs")
    if manifest.guards and not (manifest.exec.strip() or manifest.pi):
        raise ManifestError(f"{MANIFEST_FILE}: field 'guards' needs a program: 'exec' or 'pi'")
    if not manifest.exec.strip() and not (has_theme or has_resources(manifest) or _has_data(manifest)):
        raise ManifestError(
            f"{MANIFEST_FILE}: field 'exec' is missing or empty; only an extension "
            f"with {THEME_FILES[0]}, skills, prompts, themes, providers or editor_modes needs no program"
        )
    return manifest


def _has_data(manifest: Manifest) -> bool:
    return bool(manifest.providers or manifest.editor_modes or manifest.pi)


_NARROWING = ("enabled", "permissions", "disabled", "guards")
_OF_GUARDS = ("guard", "intercept", "intercepts", "on_exit", "on_failure", "on_timeout", "protect", "protects")
"""The names of the fields by which an extension limits itself or guards, and what they are called by mistake."""
_GUARDING = (
    "block", "essential", "fail_closed", "failclosed", "guard", "mandatory", "must_run", "mustrun", "on_error",
    "required", "strict",
)  # fmt: skip
"""How names of fields begin that say what an extension does for a guard."""


def _check_narrowing(members: dict[str, object]) -> None:
    """Raise `FrameError` for a field that seems to hold the extension back, and does not."""
    for name, allowed in (("permissions", "allow everything"), ("guards", "guard nothing")):
        if name in members and members[name] is None:
            raise FrameError(f"must not be null, which would {allowed}", field=name)
    if members.get("guards") == {}:
        raise FrameError("names no event, which would guard nothing", field="guards")
    for name, value in members.items():
        if name in Manifest.__fields__:
            continue
        if near := _near(name):
            raise FrameError(f"is unknown; did you mean {near!r}?", field=name[:40])
        from zot_ext.near_names import holds_back, withholds  # noqa: PLC0415  few manifests have unknown fields

        if withholds(name, value) or (value not in (None, False, [], {}, "", "off") and holds_back(name)):
            raise FrameError("is unknown, and seems to hold the extension back; 'permissions' do", field=name[:40])


def _check_providers(manifest: Manifest) -> None:
    """Raise `FrameError` for a name that no provider can have."""
    for name, config in manifest.providers.value.items() if manifest.providers is not None else ():
        if not name.isascii() or not name.replace("-", "a").replace("_", "a").replace(".", "a").isalnum():
            raise FrameError("is not the name of a provider: letters, digits, '-', '_', '.'", field=f"providers.{name}")
        if not isinstance(config, dict):
            raise FrameError("must be an object", field=f"providers.{name}")


def load_manifest(directory: str | os.PathLike[str]) -> Manifest:
    """Read the manifest in `directory` and look for a theme beside it. Raises `ManifestError`."""
    from zot_ext.regular_file import read_regular  # noqa: PLC0415  zot has read the file itself

    try:
        text = read_regular(os.path.join(directory, MANIFEST_FILE), MANIFEST_BYTES)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ManifestError(f"{MANIFEST_FILE}: cannot be read in {os.fspath(directory)!r}: {reason}") from None
    return parse_manifest(text, has_theme=has_theme(directory))


def has_resources(manifest: Manifest) -> bool:
    """Whether the manifest names skills, prompt templates or themes."""
    return bool(manifest.skills or manifest.prompts or manifest.themes)


def has_theme(directory: str | os.PathLike[str]) -> bool:
    """Whether one of `THEME_FILES` is in `directory`."""
    return any(os.path.isfile(os.path.join(directory, *name.split("/"))) for name in THEME_FILES)
