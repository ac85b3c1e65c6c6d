"""`OWN_FLAGS`: the names of zot's own flags, which no extension can have."""

_NAMES = """
add-dir address allow-remote api-key api-key-file append-system-prompt base-url continue cwd debug experimental-oauth
ext ext-trace fallback-model fleet fork help hold-text host idle ignore-settings insecure json json-schema list-models
listen max-sessions max-steps mode model no-context-files no-ext no-ext-tools no-extensions no-project-ext no-session
no-skill no-skills no-tools no-yolo permission-mode port print prompt-file provider queue reasoning resume retries
retry-total retry-wait root rpc sandbox session stats stdin-wait store stream strict-extensions system-prompt tools
trust version wait with-skills
"""
OWN_FLAGS = frozenset(_NAMES.split())
"""Without their dashes, the flags of `zot` and of `zot serve`. A test compares them with the parsers, which are not
loaded where extensions are."""
