"""Runs and schedules in Temporal: how they are listed, begun, steered and removed."""
