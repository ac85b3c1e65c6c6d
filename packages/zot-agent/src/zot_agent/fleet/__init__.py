"""Runs over many machines: Temporal says who works on which run, a store keeps their rows. Needs the extra `fleet`.

```text
store        the rows of runs and large contents: in Postgres, or in a folder
engine       what Temporal knows of runs and schedules, and how they are begun, steered, answered and removed there
worker       takes runs from a queue; each has its own process
run_process  that process: the session, the workspace and the conversation of one run
fork_server  the process that forks for each run, on Linux
run_lines    the lines between a worker and the process of a run
traces       spans of OpenTelemetry around the spans of a run
trees        workspaces that travel: a git URL and a commit, and bundles with what has changed
```

Only `run_lines`, `limits` and `missing` may be imported without the extra.
"""
