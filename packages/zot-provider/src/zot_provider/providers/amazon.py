"""Amazon Web Services."""

from zot_provider.providers.spec import Provider, Variable

PROVIDERS = (
    Provider(
        id="amazon-bedrock",
        title="Amazon Bedrock",
        wire="bedrock-converse",
        base_url="https://bedrock-runtime.{region}.amazonaws.com",
        key_env=("AWS_BEARER_TOKEN_BEDROCK",),
        base_url_env=("AWS_ENDPOINT_URL_BEDROCK_RUNTIME",),
        default_model="us.anthropic.claude-opus-5-5",
        listed=False,
        catalog="amazon-bedrock",
        aliases=("bedrock",),
        variables=(Variable("region", ("AWS_REGION", "AWS_DEFAULT_REGION"), default="us-east-1"),),
        account="aws",
        id_host=(
            r"^arn:[a-z-]+:bedrock:([a-z0-9-]+):",
            r"^https://bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com",
        ),
        note="Without a key, requests are signed with the account of AWS, which the extra zot-agent[bedrock] finds.",
    ),
)
