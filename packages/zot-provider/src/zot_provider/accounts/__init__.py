"""Accounts of clouds, which need no key: AWS signs requests, Google Cloud issues tokens."""
