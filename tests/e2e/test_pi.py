"""Ways in for extensions written for pi: `zot ext install`, `-e`, and the folders of pi."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import Zot
from npm_registry import NpmRegistry
from pi_zot import pi_environment
from waiting import PATIENCE

from zot_provider.testing import Call, ScriptedServer, Turn

GREETER = """
export default function (pi) {
  pi.registerTool({
    name: "greet", label: "Greet", description: "greet somebody", parameters: { type: "object", properties: {} },
    async execute() { return { content: [{ type: "text", text: "GREETING" }], details: {} }; },
  });
}
"""
PACKAGE = {"name": "pi-greeter", "version": "1.2.3", "description": "Greets."}


def greeter(text: str) -> str:
    """An extension with a tool `greet` that says `text`."""
    return GREETER.replace("GREETING", text)


@pytest.fixture
def zot(tmp_path: Path) -> Zot:
    made = Zot(tmp_path)
    made.env = pi_environment(made.env)
    return made


def greeted(zot: Zot, *arguments: str) -> str:
    """What the model reads when it calls the tool `greet`."""
    with ScriptedServer([Turn(calls=[Call("greet")]), "done"], key="sk-test-0123456789-secret") as server:
        done = zot.ask(server, "-p", "go", *arguments, timeout=PATIENCE)
        assert (done.code, done.err) == (0, "")
        return str(server.requests[1].body["messages"][-1]["content"])


@pytest.mark.needs("pi")
def test_a_file_a_folder_and_a_package_run_with_one_flag(zot: Zot) -> None:
    (zot.cwd / "hello.ts").write_text(greeter("from a file"))
    (zot.cwd / "folder").mkdir()
    (zot.cwd / "folder" / "index.ts").write_text(greeter("from a folder"))
    (zot.cwd / "package").mkdir()
    (zot.cwd / "package" / "package.json").write_text(json.dumps({**PACKAGE, "atomic": {"extensions": ["./a.js"]}}))
    (zot.cwd / "package" / "a.js").write_text(greeter("from a package"))
    assert greeted(zot, "-e", "hello.ts") == "from a file"
    assert greeted(zot, "-e", "folder") == "from a folder"
    assert greeted(zot, "-e", "package") == "from a package"


@pytest.mark.needs("pi", "npm")
def test_a_package_of_npm_is_installed_listed_and_removed_and_runs_none_of_its_scripts(zot: Zot) -> None:
    parts = {"extensions": ["./index.ts"], "skills": ["./skills"], "prompts": ["./prompts"], "themes": ["./themes"]}
    package = {**PACKAGE, "pi": parts, "dependencies": {"words": "1"}, "peerDependencies": {"not-there": "*"}}
    package["scripts"] = {"postinstall": "touch ran"}
    files = {
        "index.ts": 'import words from "words";\n' + GREETER.replace('"GREETING"', "words"),
        "skills/brew/SKILL.md": "---\nname: brew\ndescription: brews tea\n---\nBoil water.\n",
        "prompts/tea.md": "---\ndescription: asks for tea\n---\nBring $1 tea.\n",
        "themes/leaf.json": json.dumps({"name": "leaf", "colors": {"mdHeading": "#00ff00"}}),
    }
    words = ({"name": "words", "version": "1.0.0", "main": "index.js"}, {"index.js": 'module.exports = "from npm";'})
    with NpmRegistry((package, files), words) as registry:
        zot.env |= {"npm_config_registry": registry.url, "npm_config_cache": str(zot.home / "npm-cache")}
        refused = zot.run("ext", "install", "npm:pi-greeter", timeout=PATIENCE)
        assert "confirm it with --yes" in refused.line()
        done = zot.run("ext", "install", "npm:pi-greeter@1.2.3", "--yes", timeout=PATIENCE)
    assert done.code == 0, done.err
    assert "pi-greeter 1.2.3: Greets." in done.out
    assert "node_modules/pi-greeter/index.ts, written for pi" in done.out
    folder = zot.home / "extensions" / "pi-greeter"
    assert not [*folder.rglob("ran")]
    listed = json.loads(zot.run("ext", "list", "--json", "--no-start").out)
    assert [(each["name"], each["version"]) for each in listed["extensions"]] == [("pi-greeter", "1.2.3")]
    assert greeted(zot) == "from npm"
    with ScriptedServer(["Here."], key="sk-test-0123456789-secret") as server:
        assert zot.ask(server, "-p", "/tea green", timeout=PATIENCE).code == 0
        assert server.requests[0].body["messages"][-1]["content"] == "Bring green tea."
        assert "pi-greeter:brew" in json.dumps(server.requests[0].body)
    again = zot.run("ext", "install", "npm:pi-greeter", "--yes")
    assert "already exists; run zot ext remove pi-greeter first" in again.line()
    assert zot.run("ext", "remove", "pi-greeter", "--yes").code == 0
    assert not folder.exists()


@pytest.mark.needs("pi", "npm")
def test_a_package_that_is_not_there_or_is_no_extension_leaves_nothing(zot: Zot) -> None:
    with NpmRegistry(({"name": "leftpad", "version": "1.0.0"}, {"index.js": ""})) as registry:
        zot.env |= {"npm_config_registry": registry.url, "npm_config_cache": str(zot.home / "npm-cache")}
        absent = zot.run("ext", "install", "npm:pi-absent", "--yes", timeout=PATIENCE)
        assert absent.line().startswith("cannot install pi-absent: ")
        assert zot.run("ext", "install", "npm:../x", "--yes").line().endswith("write npm:NAME or npm:NAME@VERSION")
    assert [*(zot.home / "extensions").iterdir()] == []


@pytest.mark.needs("pi")
def test_a_file_is_installed_switched_off_and_on(zot: Zot) -> None:
    (zot.cwd / "hello.ts").write_text(greeter("installed"))
    done = zot.run("ext", "install", "hello.ts")
    assert "runs       hello.ts, written for pi" in done.out
    assert greeted(zot) == "installed"
    assert zot.run("ext", "disable", "hello").code == 0
    assert "unknown" in greeted(zot)
    assert zot.run("ext", "enable", "hello").code == 0
    assert greeted(zot) == "installed"


@pytest.mark.needs("pi")
def test_a_folder_with_an_index_and_one_with_the_usual_folders_are_installed_under_their_names(zot: Zot) -> None:
    files = {"one/index.ts": greeter("from an index"), "two/extensions/main.ts": greeter("from the usual folder")}
    for name, text in files.items():
        (zot.cwd / name).parent.mkdir(parents=True)
        (zot.cwd / name).write_text(text)
    for name, text in (("one", "from an index"), ("two", "from the usual folder")):
        done = zot.run("ext", "install", f"./{name}")
        assert (done.code, done.out.split()[0]) == (0, name), done.err
        assert greeted(zot) == text
        assert zot.run("ext", "remove", name, "--yes").code == 0


@pytest.mark.needs("pi")
def test_the_folders_of_pi_count_only_with_the_setting_and_those_of_a_project_with_trust(zot: Zot) -> None:
    own, theirs = Path(zot.env["HOME"]) / ".pi" / "agent" / "extensions", zot.cwd / ".pi" / "extensions"
    for folder, text in ((own, "mine"), (theirs, "the project's")):
        folder.mkdir(parents=True)
        (folder / "greet.ts").write_text(greeter(text))
    assert "unknown" in greeted(zot)
    zot.home.mkdir(exist_ok=True)
    (zot.home / "config.json").write_text(json.dumps({"pi": {"folders": True}}))
    with ScriptedServer([Turn(calls=[Call("greet")]), "done"], key="sk-test-0123456789-secret") as server:
        done = zot.ask(server, "-p", "go", timeout=PATIENCE)
        assert "not used, because you have not allowed it: extensions pi-project" in done.err
        assert server.requests[1].body["messages"][-1]["content"] == "mine"
    assert greeted(zot, "--trust") == "the project's"


@pytest.mark.needs("pi")
def test_the_folders_of_atomic_bring_extensions_prompts_skills_and_themes(zot: Zot) -> None:
    agent, project = Path(zot.env["HOME"]) / ".atomic" / "agent", zot.cwd / ".atomic"
    nested = {"name": "nested", "atomic": {"extensions": ["./main.ts"]}}
    source = 'import { CONFIG_DIR_NAME } from "@bastani/atomic";\n' + greeter("nested in X")
    files = {
        agent / "extensions" / "nested" / "package.json": json.dumps(nested),
        agent / "extensions" / "nested" / "main.ts": source.replace('"nested in X"', "`nested in ${CONFIG_DIR_NAME}`"),
        agent / "prompts" / "tea.md": "Bring $1 tea.\n",
        agent / "skills" / "brew" / "SKILL.md": "---\nname: brew\ndescription: brews tea\n---\nBoil water.\n",
        agent / "themes" / "leaf.json": json.dumps({"name": "leaf", "colors": {"mdHeading": "#00ff00"}}),
        project / "prompts" / "cake.md": "Bring $1 cake.\n",
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    zot.home.mkdir(exist_ok=True)
    (zot.home / "config.json").write_text(json.dumps({"pi": {"folders": True}, "theme": "leaf"}))
    assert greeted(zot, "--trust") == "nested in .atomic"
    with ScriptedServer(["Here.", "Here."], key="sk-test-0123456789-secret") as server:
        assert zot.ask(server, "-p", "/tea green", timeout=PATIENCE).code == 0
        assert zot.ask(server, "-p", "/cake lemon", "--trust", timeout=PATIENCE).code == 0
        asked = [request.body["messages"][-1]["content"] for request in server.requests]
        assert asked == ["Bring green tea.", "Bring lemon cake."]
        assert "brews tea" in json.dumps(server.requests[0].body)


@pytest.mark.needs("pi")
def test_a_provider_of_an_extension_answers_in_the_first_run_and_in_those_that_remember_it(zot: Zot) -> None:
    models = '[{ id: "tiny", name: "Tiny", reasoning: false, input: ["text"], contextWindow: 9000, maxTokens: 100 }]'
    with ScriptedServer(["Hello."] * 3, key="sk-local") as server:
        (zot.cwd / "local.ts").write_text(f"""
            export default async function (pi) {{
              const baseUrl = await Promise.resolve("{server.base_url("openai-chat")}");
              const config = {{ baseUrl, apiKey: "sk-local", api: "openai-completions", models: {models} }};
              pi.registerProvider("local-ai", config);
            }}
        """)
        for _ in range(3):
            done = zot.run("-e", "local.ts", "--provider", "local-ai", "--model", "tiny", "-p", "go", timeout=PATIENCE)
            assert done.result == (0, "Hello.\n", "")


@pytest.mark.needs("pi")
def test_what_an_extension_brings_while_it_runs_is_there_in_the_first_run_and_in_those_that_remember_it(
    zot: Zot,
) -> None:
    folder = zot.cwd / "bringer"
    (folder / "more" / "brew").mkdir(parents=True)
    (folder / "more" / "tea.md").write_text("Bring $1 tea.\n")
    (folder / "more" / "brew" / "SKILL.md").write_text("---\nname: brew\ndescription: brews tea\n---\nBoil water.\n")
    (folder / "index.ts").write_text("""
        import { fileURLToPath } from "node:url";
        const more = fileURLToPath(new URL("./more", import.meta.url));
        const paths = { promptPaths: [`${more}/tea.md`], skillPaths: [more] };
        export default (pi) => pi.on("resources_discover", () => paths);
    """)
    assert zot.run("ext", "install", "./bringer").code == 0
    for _ in range(3):
        with ScriptedServer(["Here."], key="sk-test-0123456789-secret") as server:
            assert zot.ask(server, "-p", "/tea green", timeout=PATIENCE).result == (0, "Here.\n", "")
            assert server.requests[0].body["messages"][-1]["content"] == "Bring green tea."
            assert "brews tea" in str(server.requests[0].body["messages"][0])


@pytest.mark.needs("pi", "npm")
def test_a_package_is_cloned_from_git_and_a_folder_is_copied(zot: Zot, tmp_path: Path) -> None:
    origin = tmp_path / "origin" / "pi-greeter"
    origin.mkdir(parents=True)
    (origin / "package.json").write_text(json.dumps({**PACKAGE, "pi": {"extensions": ["./a.ts"]}}))
    (origin / "a.ts").write_text(greeter("from git"))
    settings = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], [*settings, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=origin, check=True)
    done = zot.run("ext", "install", f"file://{origin}", "--yes", timeout=PATIENCE)
    assert done.code == 0, done.err
    assert greeted(zot) == "from git"
    assert zot.run("ext", "remove", "pi-greeter", "--yes").code == 0
    (origin / "a.ts").write_text(greeter("from a folder"))
    assert zot.run("ext", "install", str(origin), "--yes", timeout=PATIENCE).code == 0
    assert greeted(zot) == "from a folder"


@pytest.mark.needs("pi")
def test_an_old_node_is_said_in_one_line(zot: Zot, tmp_path: Path) -> None:
    (zot.cwd / "hello.ts").write_text(greeter("x"))
    assert zot.run("ext", "install", "hello.ts").code == 0
    node = tmp_path / "old" / "node"
    node.parent.mkdir()
    node.write_text("#!/bin/sh\necho v18.19.0\n")
    node.chmod(0o755)
    old = {**zot.env, "PATH": os.pathsep.join([str(node.parent), zot.env["PATH"]])}
    doctor = zot.run("ext", "doctor", "--no-start", env=old, timeout=PATIENCE)
    assert "is Node v18.19.0, which is too old; install Node 22.19 or newer from https://nodejs.org" in doctor.out


@pytest.mark.needs("pi")
def test_what_is_missing_is_said_in_one_line(zot: Zot) -> None:
    (zot.cwd / "hello.ts").write_text(greeter("x"))
    assert zot.run("ext", "install", "hello.ts").code == 0
    zot.env.pop("ZOT_PI_MODULES")
    doctor = zot.run("ext", "doctor", "--no-start", timeout=PATIENCE)
    assert "fetch them with: zot ext install pi" in doctor.out
    without_node = {**zot.env, "PATH": os.path.dirname(zot.command[0])}
    doctor = zot.run("ext", "doctor", "--no-start", env=without_node, timeout=PATIENCE)
    assert "need Node, which is not on the PATH; install Node 22.19 or newer" in doctor.out
    asked = zot.run("ext", "install", "pi", env=without_node)
    assert asked.line().startswith("npm is not on the PATH; install Node")
