"""What `make version` and `make release-check` do; docs/releasing.md says when.

    scripts/release version 0.1.1
    scripts/release check [--tag v0.1.1] [--folder build/release]

`version` writes the version to every place that has it, and dates the heading of the changelog. `check` does everything
that can be checked without the outside, and leaves in the folder what is published: a folder for each distribution,
`NOTES.md`, `SHA256SUMS` and `sbom.cdx.json`. Both end with one line and exit code 1 where something is wrong.
"""

import argparse
import sys
from pathlib import Path

from artifacts import archives, installers, sums
from rehearsal import Rehearsal
from tree import Tree, Wrong


def check(tree: Tree, tag: str, folder: Path) -> None:
    """Check a release; raises `Wrong`."""
    version = tree.version()
    if tag and tag != f"v{version}":
        raise Wrong(f"the tag {tag} does not belong to the version {version}")
    real = bool(tag)
    tagged = real and tree.is_tagged(tag)
    if lines := tree.open_lines():
        print("open lines of docs/releasing.md:", *lines, sep="\n  ")
        if real:
            raise Wrong(f"{len(lines)} lines of docs/releasing.md are open")
    if real and "rc" not in version and not (tree.root / "tests/compat" / version / "state").is_dir():
        raise Wrong(f"tests/compat has no stored state of {version}: make version V={version}")
    notes = tree.notes(version, released=real)
    print(f"{version}: {'tagged' if tagged else 'not tagged'}; notes of {notes.count(chr(10))} lines")
    tree.check_commit(version)
    built = archives(tree, folder)
    installers(tree, folder)
    (folder / "NOTES.md").write_text(notes, "utf-8")
    with Rehearsal(tree, folder, version) as rehearsal:
        rehearsal.run(built)
    (folder / "SHA256SUMS").write_text(sums(folder), "utf-8")
    print(f"{folder} has what is published")


def main() -> None:
    parser = argparse.ArgumentParser(prog="release", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2], help="the clone")
    verbs = parser.add_subparsers(dest="verb", required=True)
    bump = verbs.add_parser("version", help="write a version to every place that has it")
    bump.add_argument("version")
    checked = verbs.add_parser("check", help="check a release, and try it")
    checked.add_argument(
        "--tag", default="", help="the tag of the release, there or not yet; without it open lines are only listed"
    )
    checked.add_argument("--folder", type=Path, default=Path("build/release"), help="where what is published goes")
    asked = parser.parse_args()
    tree = Tree(asked.root)
    try:
        if asked.verb == "version":
            tree.bump(asked.version)
        else:
            check(tree, asked.tag, asked.root / asked.folder)
    except Wrong as wrong:
        sys.exit(f"release: {wrong}")


if __name__ == "__main__":
    main()
