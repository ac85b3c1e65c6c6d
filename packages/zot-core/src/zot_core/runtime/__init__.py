"""`Runtime`, its synchronous wrapper, and the parts both are built from."""
