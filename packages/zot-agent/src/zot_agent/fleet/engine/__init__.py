"""What Temporal knows of runs and schedules, and how they are begun, steered and removed there."""
