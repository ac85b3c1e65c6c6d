"""The provider record of Amazon Bedrock."""

from zot_provider.providers.spec import Provider, Variable

PROVIDER = Provider(
    id="amazon-bedrock",
    title="Amazon Bedrock",
    wire="bedrock-converse",
    base_url="https://bedrock-runtime.{region}.amazonaws.com",
    key_env=("AWS_BEARER_TOKEN_BEDROCK",),
    variables=(Variable("region", ("AWS_REGION", "AWS_DEFAULT_REGION"), default="us-east-1"),),
    account="aws",
)
"""Without a key, requests are signed with the credentials of AWS."""
