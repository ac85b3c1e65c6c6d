"""GitHub Copilot."""

from zot_provider.providers.sign_in import KeyExchange, SignIn
from zot_provider.providers.spec import Provider, Route
from zot_provider.wire.base import Quirks

_EDITOR = (
    # The server refuses editors that it does not know.
    ("user-agent", "GitHubCopilotChat/0.35.0"),
    ("editor-version", "vscode/1.107.0"),
    ("editor-plugin-version", "copilot-chat/0.35.0"),
    ("copilot-integration-id", "vscode-chat"),
)
_QUIRKS = Quirks(
    initiator_header="x-initiator",
    images_header="copilot-vision-request",
    headers=(("openai-intent", "conversation-edits"), *_EDITOR),
)

PROVIDERS = (
    Provider(
        id="github-copilot",
        title="GitHub Copilot",
        wire="openai-chat",
        base_url="https://api.individual.githubcopilot.com",
        key_env=("COPILOT_GITHUB_TOKEN", "GITHUB_COPILOT_TOKEN"),
        default_model="gpt-6.1-sol",
        catalog="github-copilot",
        quirks=_QUIRKS.replace(reasoning_effort=False),
        scheme="bearer",
        routes=(
            Route(("claude-*",), wire="anthropic-messages", quirks=_QUIRKS),
            Route(("gpt-4*", "gpt-5-mini"), quirks=_QUIRKS),
            Route(("gpt-*", "grok-*", "mai-*"), wire="openai-responses", quirks=_QUIRKS.replace(prompt_cache_key=True)),
        ),
        sign_in=SignIn(
            title="a GitHub account with Copilot",
            flow="device",
            client_id="Iv1.b507a08c87ecfe98",
            device_url="https://github.com/login/device/code",
            token_url="https://github.com/login/oauth/access_token",
            scope="read:user",
            exchange=KeyExchange(
                "https://api.github.com/copilot_internal/v2/token",
                headers=dict(_EDITOR),
                address_part="proxy-ep",
                of_variables=True,
            ),
            margin=300.0,
            terms="GitHub documents this sign-in for its own editor extensions only. zot uses the client id and the "
            "headers of one of them, and GitHub may refuse that or act on the account. Check the terms of Copilot "
            "before you continue.",
        ),
    ),
)
