"""Files of other agents that zot reads too: what their documentation shows stops nothing, and whoever mistypes a word
there by which less may run is told so."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Zot

from zot_agent.config.settings import FILE, load_settings
from zot_agent.hook_programs.claude.rules import claude_layers
from zot_agent.hook_programs.claude.settings import claude_programs
from zot_agent.mcp.server_files import ConfigProblem, check_files
from zot_core.runtime.subagents.definitions import read_agent
from zot_core.skills.front_matter import FrontMatterError
from zot_ext.manifest import ManifestError, parse_manifest
from zot_provider.errors import ConfigError
from zot_provider.testing import ScriptedServer

# The names of the settings of Claude Code, as the schema says that editors use for its files (August 2026).
OF_CLAUDE = """
advisorModel agent agentPushNotifEnabled allowAllClaudeAiMcps allowManagedHooksOnly allowManagedMcpServersOnly
allowManagedPermissionRulesOnly allowedChannelPlugins allowedHttpHookUrls allowedMcpServers alwaysThinkingEnabled
apiKeyHelper askUserQuestionTimeout attribution autoCompactEnabled autoConnectIde autoInstallIdeExtension
autoMemoryDirectory autoMemoryEnabled autoMode autoScrollEnabled autoUpdatesChannel availableModels awaySummaryEnabled
awsAuthRefresh awsCredentialExport axScreenReader blockedMarketplaces browserExternalPageTools channelsEnabled claudeMd
claudeMdExcludes cleanupPeriodDays companyAnnouncements defaultShell deniedMcpServers diffTool disableAgentView
disableAllHooks disableArtifact disableAutoMode disableBrowserExternalNavigation disableBundledSkills
disableClaudeAiConnectors disableDeepLinkRegistration disableMobileSimulatorTools disableRemoteControl
disableSideloadFlags disableSkillShellExecution disableWorkflows disabledMcpjsonServers editorMode effortLevel
emojiCompletionEnabled enableAllProjectMcpServers enableArtifact enabledMcpjsonServers enabledPlugins
enforceAvailableModels env externalEditorContext extraKnownMarketplaces fallbackModel fastMode fastModePerSessionOptIn
feedbackSurveyRate fileCheckpointingEnabled fileSuggestion footerLinksRegexes forceLoginGatewayUrl forceLoginMethod
forceLoginOrgUUID forceRemoteSettingsRefresh gcpAuthRefresh httpHookAllowedEnvVars includeCoAuthoredBy
includeGitInstructions inputNeededNotifEnabled language managedMcpServers minimumVersion model modelOverrides
otelHeadersHelper outputStyle parentSettingsBehavior permissionExplainerEnabled plansDirectory pluginConfigs
pluginSuggestionMarketplaces pluginTrustMessage policyHelper prUrlTemplate preferredNotifChannel prefersReducedMotion
processWrapper remoteControlAtStartup requireCoworkFullVmSandbox requiredMaximumVersion requiredMinimumVersion
respectGitignore respondToBashCommands sandbox showClearContextOnPlanAccept showThinkingSummaries showTurnDuration
skillListingBudgetFraction skillListingMaxDescChars skillOverrides skipDangerousModePermissionPrompt
skipWebFetchPreflight skippedMarketplaces skippedPlugins spinnerTipsEnabled spinnerTipsOverride spinnerVerbs sshConfigs
sshHostAllowlist statusLine strictKnownMarketplaces strictPluginOnlyCustomization subagentStatusLine
syntaxHighlightingDisabled teammateDefaultModel teammateMode terminalProgressBarEnabled theme tui useAutoModeDuringPlan
verbose viewMode vimInsertModeRemaps voice voiceEnabled wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled
workflowSizeGuideline worktree wslInheritsWindowsSettings
"""
TOOLS_OF_CLAUDE = """
Agent Bash Cd Edit ExitPlanMode Glob Grep KillShell LSP Monitor MultiEdit NotebookEdit PowerShell Read Skill TaskCreate
TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Write
"""
RULES_OF_CLAUDE = [
    *TOOLS_OF_CLAUDE.split(),
    *("Agent(Explore)", "Bash(npm run build)", "Bash(git commit *)", "Bash(ls*)", "Bash(git * main)", "Bash(curl:*)"),
    *("Bash(rm -rf .*)", "Edit(/src/**/*.ts)", "PowerShell(Remove-Item *)", "Read(*)", "Read(./.env)", "Skill(*)"),
    *("Read(//Users/alice/secrets/**)", "Read(~/Documents/*.pdf)", "WebFetch(domain:example.com)"),
    *("WebFetch(domain:*.example.com)", "mcp__puppeteer", "mcp__github__search_repositories", "mcp__puppeteer__*"),
]
EVENTS_OF_CLAUDE = """
ConfigChange CwdChanged Elicitation FileChanged InstructionsLoaded Notification PermissionDenied PermissionRequest
PostCompact PostToolBatch PostToolUse PostToolUseFailure PreCompact PreToolUse SessionEnd SessionStart Setup Stop
StopFailure SubagentStart SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion UserPromptSubmit
WorktreeCreate WorktreeRemove
"""
HOOK = {"type": "command", "command": "./check.sh"}
HOOKS_OF_CLAUDE: list[dict[str, Any]] = [
    HOOK,
    {**HOOK, "if": "Bash(rm *)", "timeout": 30},
    {**HOOK, "if": "Edit(*.ts)", "statusMessage": "Formatting", "async": True},
    {**HOOK, "args": ["--fix"], "shell": "bash"},
]


def claude(tmp_path: Path, content: dict[str, Any]) -> list[str]:
    """What stops zot in a file of Claude Code."""
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(content))
    try:
        claude_programs([str(path)])
    except ConfigError as error:
        return [str(error)]
    return [line for layer in claude_layers([str(path)]) for line in layer.errors]


@pytest.mark.parametrize("name", OF_CLAUDE.split())
def test_no_setting_of_claude_code_stops(name: str, tmp_path: Path) -> None:
    for value in (True, False, 5, "x", ["x"], {"enabled": True}, [], {}):
        assert claude(tmp_path, {name: value}) == []


def test_no_rule_and_no_hook_of_its_documentation_stops(tmp_path: Path) -> None:
    for rule in RULES_OF_CLAUDE:
        for action in ("allow", "ask", "deny"):
            assert claude(tmp_path, {"permissions": {action: [rule], "defaultMode": "acceptEdits"}}) == []
    for name in EVENTS_OF_CLAUDE.split():
        for matcher in ("", "*", "Bash", "Edit|Write", "mcp__memory__.*", "mcp__.*__write.*", "Bash(git commit*)"):
            assert claude(tmp_path, {"hooks": {name: [{"matcher": matcher, "hooks": HOOKS_OF_CLAUDE}]}}) == []


SERVERS: list[dict[str, Any]] = [
    {"disabled": False, "alwaysAllow": ["read"], "autoApprove": [], "timeout": 60, "type": "stdio"},
    {"trust": False, "description": "x", "cwd": "./x", "timeout": 30000},
    {"startup_timeout_sec": 20, "tool_timeout_sec": 45, "bearer_token_env_var": "T", "required": False},
    {"default_tools_approval_mode": "approve", "supports_parallel_tool_calls": True},
    {"gallery": "https://example.com", "version": "1.0.0", "dev": {"watch": "src/**"}, "envFile": ".env"},
    {"env": {"READ_ONLY": "1", "SANDBOX": "on"}, "headers": {"X-Restrict": "1"}, "headersHelper": "./h"},
    {"configSchema": {"type": "object", "properties": {"readOnly": {"type": "boolean"}, "deny": {"default": ["x"]}}}},
    {"metadata": {"security": "reviewed", "permissions": ["net"]}, "dependencies": {"sandbox": "^1.0.0"}},
    {"annotations": {"readOnlyHint": True}, "capabilities": {"tools": {}}, "tags": ["security", "sandbox"]},
    {"status": "connected", "lifecycle": "eager", "directTools": True, "idleTimeout": 10, "sandboxEnabled": False},
    {"oauth": {"clientId": "x"}, "authProviderType": "dynamic_discovery", "sandbox": "off"},
]
BESIDE: list[dict[str, Any]] = [
    {"inputs": [{"type": "promptString", "id": "k", "description": "key", "password": True}]},
    {"$schema": "x", "settings": {"toolPrefix": "server", "idleTimeout": 10}, "imports": ["cursor"]},
    {"globalShortcut": "Alt+C", "preferences": {"secureVmFeaturesEnabled": True}, "disableAutoUpdates": True},
]


def servers(tmp_path: Path, server: dict[str, Any], **beside: Any) -> list[str]:
    """What stops zot in a file of MCP servers."""
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"a": {"command": "x", **server}}, **beside}))
    try:
        check_files([str(path)])
    except ConfigProblem as error:
        return [str(error)]
    return []


def test_no_server_as_other_agents_write_it_stops(tmp_path: Path) -> None:
    assert [servers(tmp_path, each) for each in SERVERS] == [[]] * len(SERVERS)
    assert [servers(tmp_path, {}, **each) for each in BESIDE] == [[]] * len(BESIDE)


AGENTS = [
    "name: reviewer\ndescription: d\ntools: Read, Grep, Glob, Bash\nmodel: sonnet\ncolor: blue",
    "name: r\ndescription: d\ndisallowedTools: Write, Edit\npermissionMode: plan\nmaxTurns: 5\nmemory: user",
    "name: r\ndescription: d\nbackground: true\neffort: high\nisolation: worktree\nmcpServers:\n  - github",
    "name: r\ndescription: d\nsession-mode: fork\nthinking: medium\nspawning: false",
    "description: d\nmode: subagent\nmodel: anthropic/claude\ntemperature: 0.1\nhidden: true\ntop_p: 0.9",
    "name: r\ndescription: d\nkind: local\ntools:\n  - read_file\n  - grep_search\nmax_turns: 10\ntemperature: 0.2",
]


@pytest.mark.parametrize("fields", AGENTS)
def test_no_agent_as_other_agents_write_it_stops(fields: str, tmp_path: Path) -> None:
    assert agent(tmp_path, fields) == []


OF_GO = {
    "provider": "openai", "model": "gpt-5", "reasoning": "high", "theme": "dark", "inline_images_enabled": True,
    "last_changelog_shown": "0.2.0", "auto_swarm_enabled": True, "respect_gitignore": False, "jail_by_default": False,
}  # fmt: skip
VARIABLES_OF_GO = {"ZOT_NO_BROWSER": "1", "ZOT_FORCE_BROWSER": "1", "ZOT_THEME": "dark", "ZOT_CELL_ASPECT": "2.0"}


def test_neither_settings_nor_variables_of_the_go_zot_stop(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps(OF_GO))
    assert load_settings(str(tmp_path), environ=VARIABLES_OF_GO).value("model") == "gpt-5"


def test_zot_starts_where_somebody_works_with_other_agents(zot: Zot, server: ScriptedServer) -> None:
    everything: dict[str, Any] = dict.fromkeys(OF_CLAUDE.split(), True) | {"disableAllHooks": False, "env": {"A": "b"}}
    everything |= {"permissions": {"deny": ["Read(./.env)", "Bash(rm -rf .*)"], "defaultMode": "acceptEdits"}}
    everything |= {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": HOOKS_OF_CLAUDE[:2]}]}}
    off = {"a": {"command": "x", "disabled": True, **SERVERS[0], **{"disabled": True}}}
    files = {
        ".claude/settings.json": json.dumps(everything),
        ".claude/agents/reviewer.md": f"---\n{AGENTS[0]}\n---\nYou review.",
        ".mcp.json": json.dumps({"mcpServers": off, **BESIDE[0]}),
        ".codex/config.toml": 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"\n',
        ".gemini/settings.json": '{"tools": {"sandbox": true}, "security": {"folderTrust": {"enabled": true}}}',
        ".cursor/mcp.json": json.dumps({"mcpServers": {"a": {"command": "x"}}}),
        ".pi/settings.json": '{"defaultProvider": "anthropic", "defaultModel": "x", "packages": []}',
        "opencode.json": '{"permission": {"bash": "ask"}, "agent": {"build": {"tools": {"write": false}}}}',
        "AGENTS.md": "Use tabs.",
    }
    for folder in (zot.cwd, Path(zot.env["HOME"])):
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    zot.home.mkdir(exist_ok=True)
    (zot.home / FILE).write_text(json.dumps({"theme": "dark", "last_changelog_shown": "0.2.0"}))
    server.add("done")
    done = zot.ask(server, "-p", "--trust", "x", env={**zot.env, **VARIABLES_OF_GO})
    assert (done.code, done.out) == (0, "done\n"), done.err


# And what is mistyped


def typos(word: str) -> list[str]:
    """The word with a letter too few, a letter twice or two letters in each other's place, behind the first one, and
    in other cases."""
    found = {word.upper(), word.swapcase(), f"{word}_", f"_{word}"}
    for at in range(1, len(word)):
        found |= {word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]}
        found |= {word[:at] + word[at : at + 2][::-1] + word[at + 2 :]}
    return sorted(found - {word})


HELD: dict[str, Any] = {
    "permissions": {"deny": ["Bash"]}, "sandbox": {"enabled": True}, "hooks": {"PreToolUse": []},
    "disabledMcpjsonServers": ["a"], "deniedMcpServers": [{"serverName": "a"}],
}  # fmt: skip


@pytest.mark.parametrize("name", HELD)
def test_a_mistyped_setting_of_claude_code_that_holds_back_stops(name: str, tmp_path: Path) -> None:
    assert [each for each in typos(name) if not claude(tmp_path, {each: HELD[name]})] == []


@pytest.mark.parametrize(("name", "value"), [("deny", ["Bash"]), ("ask", ["Bash"]), ("defaultMode", "plan")])
def test_a_mistyped_part_of_its_permissions_stops(name: str, value: object, tmp_path: Path) -> None:
    assert [each for each in typos(name) if not claude(tmp_path, {"permissions": {each: value}})] == []


@pytest.mark.parametrize("name", ["PreToolUse", "UserPromptSubmit"])
def test_a_mistyped_event_of_a_guard_stops(name: str, tmp_path: Path) -> None:
    assert [each for each in typos(name) if not claude(tmp_path, {"hooks": {each: [{"hooks": [HOOK]}]}})] == []


@pytest.mark.parametrize("name", ["PreToolUse", "UserPromptSubmit", "preToolUse"])
def test_a_guard_where_claude_code_looks_for_no_hooks_stops(name: str, tmp_path: Path) -> None:
    hooks = {name: [{"hooks": [HOOK]}]}
    named = {f"hook_settings.{name}": hooks[name]}
    for content in (hooks, {"hooks": {"hooks": hooks}}, {"hook_settings": hooks}, named):
        assert claude(tmp_path, content) != [], content


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("disabled", True), ("enabled", False), ("sampling", "deny"), ("isActive", False), ("readOnly", True)),
        *(("excludeTools", ["x"]), ("includeTools", ["x"]), ("disabledTools", ["x"]), ("status", "disabled")),
    ],
)
def test_a_mistyped_field_by_which_a_server_does_less_stops(name: str, value: object, tmp_path: Path) -> None:
    assert [each for each in typos(name) if not servers(tmp_path, {each: value})] == []


def agent(tmp_path: Path, fields: str) -> list[str]:
    """What stops zot in the file of an agent, or keeps the agent from being offered."""
    (tmp_path / "a.md").write_text(f"---\n{fields}\n---\nYou review.")
    try:
        read_agent(str(tmp_path / "a.md"), "user")
    except FrontMatterError as error:
        return [str(error)]
    return []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("permissions", "ask"), ("permissionMode", "plan"), ("tools", "read"), ("disallowedTools", "bash")),
        *(("worktree", "true"), ("maxTurns", "3"), ("readonly", "true"), ("disabled", "true")),
    ],
)
def test_a_mistyped_field_by_which_an_agent_does_less_stops(name: str, value: str, tmp_path: Path) -> None:
    assert [each for each in typos(name) if not agent(tmp_path, f"description: d\n{each}: {value}")] == []


def extension(fields: dict[str, Any]) -> list[str]:
    """What keeps an extension from starting."""
    try:
        parse_manifest(json.dumps({"name": "a", "exec": "./a", **fields}))
    except ManifestError as error:
        return [str(error)]
    return []


@pytest.mark.parametrize(
    ("name", "value"), [("enabled", False), ("guards", {"tool_call": {"on_exit": "block"}}), ("permissions", {})]
)
def test_a_mistyped_field_by_which_an_extension_does_less_stops(name: str, value: object) -> None:
    assert [each for each in typos(name) if not extension({each: value})] == []
