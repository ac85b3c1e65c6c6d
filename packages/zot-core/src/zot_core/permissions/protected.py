"""Files of a project that programs take orders from: an allow with a wildcard does not cover them."""

import os

from zot_core.machine.repository import looks_bare


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FOLDERS = _words(
    ".agents .buildkite .cargo .circleci .claude .clinerules .codex .continue .cursor .devcontainer .direnv"
    " .forgejo .gemini .git .gitea .helix .husky .idea .kiro .mvn .opencode .pi .roo .vscode .windsurf .woodpecker"
    " .yarn .zed .zot"
)
_NAMES = _words(
    ".appveyor.yml .bash_login .bash_logout .bash_profile .bashrc .bazelrc .cirrus.yml .condarc .cursorrules"
    " .devcontainer.json .dir-locals.el .drone.yml .env .envrc .exrc .gdbinit .gitattributes .gitconfig .gitlab-ci.yml"
    " .gitmodules .inputrc .lefthook.yml .lldbinit .lvimrc .mcp.json .mise.toml .netrc .npmrc .nvim.lua .nvimrc"
    " .overcommit.yml .pdbrc .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs .pre-commit-config.yaml .profile .pypirc .ripgreprc"
    " .tool-versions .travis.yml .vimrc .windsurfrules .woodpecker.yml .yarnrc .yarnrc.yml .zlogin .zlogout .zprofile"
    " .zshenv .zshrc agents.md appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml bunfig.toml claude.md"
    " gemini.md jenkinsfile lefthook-local.yml lefthook.yml mise.toml pip.conf pip.ini sitecustomize.py system.md"
    " usercustomize.py"
)
_EXAMPLES = (".dist", ".example", ".sample", ".template")
_OF_GITHUB = _words("actions copilot-instructions.md instructions workflows")


def protected_part(path: str, cwd: str) -> str:
    """Return the part of the real path `path` below `cwd` that makes it protected, else an empty text."""
    parts = os.path.relpath(path, cwd).split(os.sep)
    for part in parts[:-1]:
        if part.casefold() in _FOLDERS:
            return part
    name = parts[-1].casefold()
    if name in _FOLDERS or name in _NAMES or name.endswith((".pth", ".code-workspace")):
        return parts[-1]
    if name.startswith(".env.") and not name.endswith(_EXAMPLES):
        return parts[-1]
    folded = [part.casefold() for part in parts]
    if folded[0] == ".github" and len(folded) > 1 and folded[1] in _OF_GITHUB:
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
