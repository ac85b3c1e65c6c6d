"""The step of the release's workflow that puts the site of a version beside those of others."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import yaml
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def publish(site: Path, version: str, folder: Path) -> None:
    """Add the site of a version to the branch gh-pages of the repository `folder`, whose files are those of the branch.
    The first call makes it."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
    (step,) = (each["run"] for each in workflow["jobs"]["site"]["steps"] if "run" in each)
    if not folder.exists():
        subprocess.run(["git", "init", "-q", "-b", "gh-pages", str(folder)], check=True, timeout=PATIENCE)
        changing = ["git", "config", "receive.denyCurrentBranch", "updateInstead"]
        subprocess.run(changing, cwd=folder, check=True, timeout=PATIENCE)
    where = {"GITHUB_SERVER_URL": folder.parent.as_uri(), "GITHUB_REPOSITORY": folder.name}
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(site, Path(scratch, "site"))
        command = ["bash", "-e", "-c", f"gh() {{ :; }}\n{step}"]
        given = os.environ | where | {"GITHUB_REF_NAME": f"v{version}"}
        subprocess.run(command, cwd=scratch, env=given, check=True, capture_output=True, timeout=PATIENCE)
