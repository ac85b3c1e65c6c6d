"""The sessions and resources of agents in the process of an extension, at a fake host."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from zot_ext.protocol.from_extension import Notify
from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")

Bridge = Callable[..., FakeHost]

SESSIONS = """
    import { SessionManager, buildSessionContext } from "@earendil-works/pi-coding-agent";
    export default function (pi) {
      pi.registerCommand("keep", { handler: async (folder, ctx) => {
        const made = SessionManager.create(ctx.cwd, folder);
        const first = made.appendMessage({ role: "user", content: "tea?", timestamp: 1 });
        const yes = [{ type: "text", text: "yes" }];
        made.appendMessage({ role: "assistant", content: yes, provider: "p", model: "m", timestamp: 2 });
        made.appendSessionInfo("about tea");
        const again = SessionManager.open(made.getSessionFile(), folder);
        again.branch(first);
        again.appendMessage({ role: "assistant", content: [{ type: "text", text: "no" }], timestamp: 3 });
        const cut = SessionManager.open(made.getSessionFile(), folder);
        cut.createBranchedSession(first);
        const recent = SessionManager.continueRecent(ctx.cwd, folder);
        const fork = SessionManager.forkFrom(made.getSessionFile(), ctx.cwd);
        const memory = SessionManager.inMemory(ctx.cwd);
        memory.appendMessage({ role: "user", content: "one", timestamp: 1 });
        const kept = memory.appendMessage({ role: "user", content: "two", timestamp: 1 });
        memory.appendCompaction("short", kept, 9);
        const text = (message) => message.summary ?? message.content[0].text ?? message.content;
        const read = (manager) => manager.buildSessionContext().messages.map(text).join(" ");
        ctx.ui.notify(JSON.stringify({
          again: read(again), model: buildSessionContext(made.getBranch()).model,
          name: made.getSessionName(), tree: again.getTree()[0].children.length, cut: read(cut),
          recent: recent.getSessionId() === cut.getSessionId(),
          parent: cut.getHeader().parentSession === made.getSessionFile(),
          fork: [fork.isPersisted(), fork.getEntries().length], memory: read(memory),
        }));
      } });
      pi.registerCommand("open", { handler: async (file, ctx) => {
        ctx.ui.notify(SessionManager.open(file).getSessionId());
      } });
    }
"""


def told(host: FakeHost, part: str = "") -> str:
    return host.wait_for(Notify, lambda note: part in note.message).message


def test_sessions_of_agents_are_files_of_pi_where_a_folder_is_named_else_in_memory(
    bridge: Bridge, tmp_path: Path
) -> None:
    host = bridge(SESSIONS, calls={"session.info": {"id": "s", "file": None, "title": ""}})
    folder = tmp_path / "kept"
    host.command("keep", str(folder))
    assert json.loads(told(host, "again")) == {
        "again": "tea? no", "model": {"provider": "p", "modelId": "m"}, "name": "about tea", "tree": 2, "cut": "tea?",
        "recent": True, "parent": True, "fork": [False, 4], "memory": "short two",
    }  # fmt: skip
    assert len([*folder.iterdir()]) == 2
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_file_that_is_no_session_is_refused_and_the_persons_own_is_copied(bridge: Bridge, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"type":"meta"}\nnonsense\n')
    host = bridge(SESSIONS, calls={"session.info": {"id": "s7", "file": str(tmp_path / "own.jsonl"), "title": ""}})
    assert "is not a session of pi" in str(host.command("open", str(other)).error)
    host.command("open", str(tmp_path / "own.jsonl"))
    assert told(host) == "s7"
    assert not (tmp_path / "own.jsonl").exists()


RESOURCES = """
    import { DefaultResourceLoader, formatSkillsForPrompt } from "@earendil-works/pi-coding-agent";
    export default function (pi) {
      pi.registerTool({ name: "own", description: "own", parameters: {}, execute: async () => ({ content: [] }) });
      pi.registerCommand("load", { handler: async (agentDir, ctx) => {
        const broken = () => { throw new Error("broken hook"); };
        const loader = new DefaultResourceLoader({
          cwd: ctx.cwd, agentDir, appendSystemPrompt: ["more"], extensionFactories: [{ name: "hook", factory: broken }],
          extensionsOverride: (found) => ({ ...found, seen: true }),
        });
        await loader.reload();
        const { extensions, errors, seen } = loader.getExtensions();
        const { skills } = loader.getSkills();
        ctx.ui.notify(JSON.stringify({
          extensions: extensions.map((each) => [each.path.split("/").at(-1), [...each.tools.keys()]]), errors, seen,
          skills: skills.map((each) => each.name), shown: formatSkillsForPrompt(skills).includes("&#60;b&#62;"),
          files: loader.getAgentsFiles().agentsFiles.map((each) => each.content),
          prompts: loader.getPrompts().prompts.map((each) => each.content),
          system: loader.getSystemPrompt(), more: loader.getAppendSystemPrompt(),
        }));
      } });
    }
"""


def test_an_agent_gets_extensions_skills_prompts_and_instructions_but_nothing_of_a_project_that_is_not_allowed(
    bridge: Bridge, tmp_path: Path
) -> None:
    agent = tmp_path / "agent"
    for name, text in {
        "agent/skills/tea/SKILL.md": "---\nname: tea\ndescription: makes <b>tea</b>\n---\n",
        "agent/skills/mute/SKILL.md": "no description",
        "agent/prompts/brew.md": "---\ndescription: brew\n---\nBrew $1.",
        "agent/AGENTS.md": "from agent",
        "AGENTS.md": "from project",
        ".pi/SYSTEM.md": "a stranger's prompt",
        ".pi/skills/bad/SKILL.md": "---\nname: bad\ndescription: bad\n---\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    host = bridge(RESOURCES)
    host.command("load", str(agent))
    found = json.loads(told(host, "extensions"))
    assert found["extensions"] == [["extension.ts", ["own"]]]
    assert found["errors"] == [{"path": "<inline:hook>", "error": "broken hook"}]
    assert (found["seen"], found["skills"], found["shown"]) == (True, ["tea"], True)
    assert found["files"][:1] == ["from agent"]
    assert found["files"][-1] == "from project"
    assert (found["prompts"], found["more"]) == (["Brew $1."], ["more"])
    assert "system" not in found
