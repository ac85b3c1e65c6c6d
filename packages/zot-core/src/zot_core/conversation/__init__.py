"""`Conversation`, the layer under every front end: a queue of prompts, slash commands and one stream of events.

```text
driver         `Conversation`
queue          the queue of runs
events         the events that a front end receives
event_json     these events as JSON
commands       slash commands: syntax and results
extensions     protocols that a host of extensions implements
shell_command  shell commands that the user runs;  shell_results: their output, until the model has read it
```
"""
