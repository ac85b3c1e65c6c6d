"""Files of a project that programs take orders from: an allow with a wildcard does not cover them."""

import os

from zot_core.machine.repository import looks_bare


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FOLDERS = _words(".agents .cargo .claude .codex .cursor .devcontainer .git .husky .idea .mvn .vscode .yarn .zot")
_NAMES = _words(
    ".bash_profile .bashrc .devcontainer.json .dir-locals.el .env .envrc .exrc .gitattributes .gitconfig"
    " .gitmodules .mcp.json .mise.toml .npmrc .pnpmfile.cjs .pre-commit-config.yaml .profile .yarnrc .yarnrc.yml"
    " .zprofile .zshenv .zshrc agents.md bunfig.toml claude.md lefthook.yml mise.toml pip.conf sitecustomize.py"
    " system.md usercustomize.py"
)


def protected_part(path: str, cwd: str) -> str:
    """Return the part of the real path `path` below `cwd` that makes it protected, else an empty text."""
    parts = os.path.relpath(path, cwd).split(os.sep)
    for part in parts[:-1]:
        if part.casefold() in _FOLDERS:
            return part
    name = parts[-1].casefold()
    if name in _FOLDERS or name in _NAMES or name.endswith(".pth"):
        return parts[-1]
    folded = [part.casefold() for part in parts]
    if folded[:2] == [".github", "workflows"]:
        return parts[1]
    return _repository_part(parts, cwd)


def _repository_part(parts: list[str], cwd: str) -> str:
    """Return the part that is a repository under another name than `.git`: bare, or named by a pointer."""
    folder = cwd
    for part in parts[:-1]:
        folder = os.path.join(folder, part)
        if looks_bare(folder):
            return part
    return ""
