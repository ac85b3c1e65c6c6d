"""`Runtime`, and what it is made of."""
