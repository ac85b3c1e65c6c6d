"""The model that runs inside this process: its weights, its server and its client."""
