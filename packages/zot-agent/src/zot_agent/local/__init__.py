"""The model that runs inside this process: its weights, its server, and the way it is asked."""
