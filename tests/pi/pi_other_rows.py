"""Examples with flags, resources, providers, other machines and packages of their own."""

import json
from pathlib import Path

from command import KEY
from pi_conversation_rows import call
from pi_drive import (
    PI,
    ZOT,
    Row,
    Steps,
    ask,
    command,
    file,
    gone,
    keys,
    no_file,
    only,
    printed,
    requested,
    see,
    slash,
    stored,
    typed,
    write,
)


def picked(provider: str, model: str) -> Steps:
    """Find a model in the list, and choose it. In zot a slash in the name of a provider is a dash."""
    name = provider.replace("/", "-")
    listed = (slash("/model"), see("search"), keys(name[:11]), see(f"/ {name[:11]}", model), keys("\x1b"))
    return [
        only(ZOT, *listed, gone("Enter choose"), slash(f"/model {name}/{model}"), see(f"{name} · {model}")),
        only(PI, slash(f"/model {provider}/{model}"), see(f"({provider}) {model}")),
    ]


def _empty_trigger(_: Path) -> None:
    Path("/tmp/agent-trigger.txt").write_text("")


_SKILL = "---\nname: ours\ndescription: Skill of the project.\n---\nDo it.\n"
_SCOUT = "---\nname: scout\ndescription: finds\ntools: bash\n---\nFind.\n"

ROWS = [
    Row(
        "plan-mode",
        [
            typed(see("⏸ plan")),
            ask("plan it"),
            typed(see("Plan mode - what next?")),
            keys("\x1b"),
            gone("Plan mode - what next?"),
            requested("PLAN MODE"),
            *command("plan", "Toggle plan mode"),
            typed(see("Plan mode disabled")),
            printed(see("Read the code carefully")),
        ],
        ["Plan:\n1. Read the code carefully\n2. Write the tests first\n"],
        arguments=["--plan"],
        prints="plan it",
    ),
    Row(
        "preset.ts",
        [typed(see('Preset "quick" activated', "preset:quick")), ask(), see("Yes."), requested("Answer in one line.")],
        ["Yes."],
        files={".pi/presets.json": '{"quick": {"tools": ["read"], "instructions": "Answer in one line."}}'},
        arguments=["--preset", "quick"],
        prints="go",
    ),
    Row(
        "dynamic-resources",
        [
            ask("/dynamic"),
            see("Yes."),
            requested("Summarize the current repository structure"),
            requested("dynamic-resources"),
        ],
        ["Yes."],
        prints="/dynamic",
    ),
    Row(
        "file-trigger.ts",
        [
            see("Watching /tmp/agent-trigger.txt"),
            write("/tmp/agent-trigger.txt", "the build is red"),
            see("I look."),
            requested("External trigger: the build is red"),
        ],
        ["I look."],
        setup=_empty_trigger,
    ),
    Row(
        "project-trust.ts",
        [
            see("Trust this session"),
            *(keys("\x1b[B"), keys("\x1b[B"), keys("\r")),
            see("project-trust example loaded after trust resolution"),
            ask(),
            see("Yes."),
            requested("Skill of the project."),
        ],
        ["Yes."],
        files=dict.fromkeys((".zot/skills/ours/SKILL.md", ".pi/skills/ours/SKILL.md"), _SKILL),
        asks="Project trust for:",
    ),
    Row(
        "ssh.ts",
        [typed(see("SSH mode: box:/srv")), ask(), see("All done."), requested("from-the-box")],
        [call("bash", command="hostname"), "All done."],
        arguments=["--ssh", "box:/srv"],
        programs={"ssh": "echo from-the-box"},
        prints="go",
    ),
    Row(
        "subagent",
        [ask(), see("All done."), requested("Find.", "Task: find it", "from-the-scout")],
        [
            call("subagent", agent="scout", task="find it"),
            *(call("bash", command="echo from-the-$((1))"), "I am from-the-scout.", "All done."),
        ],
        files={f"../home/{folder}/agent/agents/scout.md": _SCOUT for folder in (".pi", ".atomic")},
        models={"openai": "scripted"},
        entry="index.ts",  # of the folder pi loads the prompts alone
        prints="go",
    ),
    Row(
        "sandbox",
        [
            *(typed(see("Sandbox initialized", "1 write paths")), ask(), see("All done.")),
            *(requested("outside: Read-only file system"), file("out/inside", "yes"), no_file("outside")),
            *(only(ZOT, command("sandbox:2", "Show sandbox configuration")), only(PI, slash("/sandbox"))),
            typed(see("Allow Write: out")),
        ],
        [call("bash", command="echo yes > out/inside; echo no > outside"), "All done."],
        files={".pi/sandbox.json": '{"filesystem": {"allowWrite": ["out"]}}', "out/keep": ""},
        needs=["bwrap", "rg", "socat"],
        prints="go",
    ),
    Row(
        "gondolin",
        [ask(), see("Yes.")],
        ["Yes."],
        cannot="its package @earendil-works/gondolin, a virtual machine, is not installed with the examples",
    ),
    Row(
        "jev-router.ts",
        [ask(), see("Yes.")],
        ["Yes."],
        cannot="zot has no models that choose others (`registerVirtualModel`)",
    ),
    Row(
        "debug-provider.ts",
        [
            *(*command("debug-provider", "Toggle capture"), see("provider debug"), ask(), see("Yes.")),
            *(see("[provider debug] openai/scripted"), only(ZOT, see("0 events"))),
            stored("debug-provider-events"),
        ],
        ["Yes."],
        part="its entry is there and empty: the events of the provider (`provider_stream_event`) do not come",
    ),
    Row(
        "custom-provider-anthropic",
        [
            picked("custom-anthropic", "claude-opus-4-5"),
            *(ask("hello"), see("I am Opus."), requested('"model": "claude-opus-4-5"', "hello")),
        ],
        ["I am Opus."],
        variables={"CUSTOM_ANTHROPIC_API_KEY": KEY},
        hosts={"https://api.anthropic.com": ""},
    ),
    Row(
        "custom-provider-gitlab-duo",
        [
            picked("gitlab-duo", "claude-opus-4-8"),
            *(ask(), see("All done."), requested("from-the-tool")),
        ],
        [call("bash", command="echo from-the-$(echo tool)"), "All done."],
        variables={"GITLAB_TOKEN": "glpat-one"},
        hosts={
            "https://gitlab.com": "data:application/json," + json.dumps({"token": "t", "headers": {"x-api-key": KEY}}),
            "https://cloud.gitlab.com/ai/v1/proxy/anthropic": "",
        },
    ),
]
