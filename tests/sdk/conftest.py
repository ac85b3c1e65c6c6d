"""These tests need the vendors' SDKs: `make sdk` runs them where these are installed, other runs leave them out."""

from importlib.util import find_spec

# Not `anthropic`: a folder of tests has this name, and would be found.
collect_ignore_glob = [] if find_spec("httpx2") else ["test_*.py"]
