"""Accounts of a person: stored keys and sign-ins."""
