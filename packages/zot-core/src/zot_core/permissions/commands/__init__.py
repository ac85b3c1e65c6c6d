"""Knowledge of the commands of a line: what they start, read and name, and what may hide in them."""
