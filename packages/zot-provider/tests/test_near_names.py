"""Names that were meant, and names that hold something back."""

import pytest

from zot_provider.near_names import holds_back, nearest, runs_unasked, withholds


def test_a_name_is_nearest_by_its_letters() -> None:
    assert nearest("Old_Text", ["oldText", "newText"]) == "oldText"
    assert nearest("ptah", ["path", "limit"]) == "path"
    assert nearest("zzz", ["path", "limit"]) == ""
    assert nearest("aks", ["allow", "ask", "deny"]) == "ask"
    assert nearest("denny", ["allow", "ask", "deny"]) == "deny"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "approval_policy",
            "aproval",
            "blocked-commands",
            "blocklist",
            "confirmBeforeRun",
            "denylist",
            "denny",
            "Denied",
        ),
        *("excludedTools", "exlcude", "forbiden", "guardrails", "isolation", "permision", "permitted", "read_only"),
        *(
            "rejectAll",
            "requireApproval",
            "restrictTo",
            "restrcted",
            "safe-mode",
            "sandboxed",
            "snadbox",
            "securityLevel",
        ),
    ],
)
def test_a_name_that_forbids_something_is_found_in_any_spelling(name: str) -> None:
    assert holds_back(name)


@pytest.mark.parametrize(
    "name",
    [
        *("identity", "codeBlockTheme", "bash_timout", "description", "expression", "retry_policy"),
        *("theme", "gallery", "alwaysLoad", "instructions", "model_family", "dense", "remote", "persist", "resume"),
        *("insecure", "unsafe", "autoApprove", "always_allow", "skipPermissionPrompt", "bypassSandbox"),
    ],
)
def test_other_names_hold_nothing_back(name: str) -> None:
    assert not holds_back(name)


@pytest.mark.parametrize("name", ["autoApprove", "auto_run", "alwaysAllow", "bypass", "skip_permissions", "autoTrust"])
def test_a_switch_that_runs_something_unasked_is_found(name: str) -> None:
    assert runs_unasked(name)


@pytest.mark.parametrize("name", ["autoUpdate", "autoshare", "auto_swarm_enabled", "auto_truncate", "skipUpdateCheck"])
def test_other_switches_run_nothing_unasked(name: str) -> None:
    assert not runs_unasked(name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            (name, ["x"])
            for name in ("include", "onlyTools", "toolsAllow", "only_list", "filter", "allowed-tools", "except")
        ),
        *((name, False) for name in ("network", "network_access", "inheritEnv", "allowWrite", "canExec", "use-shell")),
        *((name, "none") for name in ("internet", "network", "roots")),
        *((name, "deny") for name in ("elicitation", "x", "onWrite")),
        *((name, True) for name in ("ask", "askFirst", "always_ask", "askBeforeRun")),
        *[("roots", []), ("tools", []), ("autoDeny", "deny"), ("perms", "plan"), ("level", "Read-Only")],
    ],
)
def test_a_field_that_withholds_something_is_found_by_name_and_value(name: str, value: object) -> None:
    assert withholds(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, True) for name in ("include", "network", "allowWrite", "inheritEnv", "filter")),
        *((name, ["*"]) for name in ("include", "tools", "onlyTools")),
        *(
            (name, False)
            for name in ("ask", "readOnly", "deny", "logging", "shell_integration", "off", "only", "trust")
        ),
        *((name, []) for name in ("alwaysAllow", "deny", "excludeTools", "args")),
        *[("include", "all"), ("autoApprove", ["x"]), ("logging", "off"), ("cache", "none"), ("note", "deny nothing")],
        *[("task", True), ("timeout", 0), ("toolPrefix", "x"), ("includeUsage", {"x": 1}), ("x", None)],
    ],
)
def test_a_field_that_withholds_nothing_is_left_alone(name: str, value: object) -> None:
    assert not withholds(name, value)
