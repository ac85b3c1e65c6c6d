"""`extension_sandbox`: confines the process of an extension to the permissions of its manifest.

It reads the system, its own folder and what `read` names, and writes its own folder and what `write` names; the rest of
the person's files, the project included, is not there. Unless `exec` is true it cannot have a second process. An
extension that names no permissions is confined as commands are, if the person has turned the sandbox on.
"""

import os
from typing import TYPE_CHECKING

import zot_ext
from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.launch import SDK_FOLDER, LaunchError, outside_program
from zot_agent.extensions.python.environment import environment_of
from zot_core.machine.hosts import host_patterns
from zot_core.sandbox.policy import PLACEHOLDERS, Access, SandboxPolicy, make_policy
from zot_core.sandbox.sandbox import Sandbox
from zot_ext.protocol.permissions import must_confine

if TYPE_CHECKING:
    from zot_ext.protocol.permissions import Choice

_SYSTEM = ("", "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "usr")
"""Folders of the root that programs need, even where somebody works in one."""

_VARIABLES = ("PYTHONPATH", "VIRTUAL_ENV", "ZOT_EXT_PATH", "ZOT_PYTHON")


def extension_sandbox(found: DiscoveredExtension, agent: AgentInfo, home: str) -> Sandbox:
    """Return the sandbox for an extension of an agent; zot's own folder is `home`. It keeps to the permissions of the
    manifest, and without any to the policy of the agent.

    Raises `LaunchError` if this machine cannot keep to what the manifest says.
    """
    try:
        if outside := outside_program(found.manifest, found.directory):
            raise ValueError(f"its program {outside} is outside its folder")
        if agent.sandbox is not None and not must_confine(found.permissions):
            sandbox = Sandbox(_beside_agent(found, agent.sandbox, home))
        else:
            sandbox = Sandbox(extension_policy(found, agent.cwd, home))
        host_patterns(sandbox.policy.hosts)
        if problem := sandbox.problem():
            raise ValueError(problem)
    except ValueError as error:
        raise LaunchError(f"extension {found.name!r}: its permissions cannot be enforced: {error}") from None
    return sandbox


def _beside_agent(found: DiscoveredExtension, policy: SandboxPolicy, home: str) -> SandboxPolicy:
    """Return the policy of an agent with the folder of an extension, which is writable but for its manifest."""
    folder = os.path.realpath(found.directory)
    paths = {**policy.paths, folder: "write", os.path.join(folder, MANIFEST_FILE): "read"}
    paths |= {os.path.realpath(path): "read" for path in (SDK_FOLDER, os.path.dirname(zot_ext.__file__))}
    paths |= _packages(found, home) | dict.fromkeys(_bridge(found, home), "read")
    if found.scope == "bundled":
        paths |= {path: "read" for path in (folder, *found.reads)}
    return policy.replace(paths=paths, scratch="", variables=[*policy.variables, *_VARIABLES, *found.manifest.env])


def _packages(found: DiscoveredExtension, home: str) -> "dict[str, Access]":
    """Return the access to the Python packages of an extension, which are in zot's own folder."""
    environment = environment_of(found, home)
    return {} if environment is None else {os.path.realpath(environment.folder): "read"}


def _bridge(found: DiscoveredExtension, home: str) -> list[str]:
    """Return what an extension written for pi reads of zot and of Node."""
    if not found.pi:
        return []
    from zot_agent.pi.runtime import bridge_folders  # noqa: PLC0415  few are written for pi

    return bridge_folders(home)


def extension_policy(found: DiscoveredExtension, cwd: str, home: str) -> SandboxPolicy:
    """Return what the process may do. Raises ValueError, with a line for the person."""
    permissions, folder, project = found.permissions, os.path.realpath(found.directory), os.path.realpath(cwd)
    # On some systems the addresses of name servers are in /run, which is hidden.
    resolver = ["/etc/resolv.conf"] if permissions.network is True else []
    policy = make_policy(
        folder,
        zot_home=home,
        readable=[
            SDK_FOLDER,
            os.path.dirname(zot_ext.__file__),
            *_bridge(found, home),
            *resolver,
            *_paths(permissions.read, project),
        ],
        writable=_paths(permissions.write, project),
        variables=[*_VARIABLES, *found.manifest.env],
        hosts=permissions.network if isinstance(permissions.network, tuple) else (),
        strict=True,  # a lesser sandbox would keep less than the permissions promise
    )
    own = [os.path.join(folder, name) for name in PLACEHOLDERS]
    paths: dict[str, Access] = {
        path: access for path, access in policy.paths.items() if path not in own or os.path.lexists(path)
    }
    if permissions.read is True or permissions.write is True:
        paths = {path: access for path, access in paths.items() if access != "none"}
    elif project.split(os.sep)[1] not in _SYSTEM:
        paths.setdefault(project, "none")
    if permissions.write is True:
        folders = (each for each in os.scandir(os.sep) if each.is_dir(follow_symlinks=False))
        paths |= {each.path: "write" for each in folders if each.name not in ("dev", "proc", "sys")}
    paths[os.path.join(folder, MANIFEST_FILE)] = "read"
    paths |= _packages(found, home)
    return policy.replace(paths=paths, open_network=permissions.network is True, processes=permissions.exec is True)


def _paths(choice: "Choice", project: str) -> list[str]:
    """Return the real paths that a permission names."""
    entries = () if isinstance(choice, bool) else choice
    return [os.path.realpath(os.path.join(project, os.path.expanduser(each.removesuffix("/**")))) for each in entries]
