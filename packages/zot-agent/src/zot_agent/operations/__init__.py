"""What programs ask of zot, over `zot rpc`, `zot serve` and from extensions.

```text
answers          the types of the answers about the agent, its models, tools and screens
stored_answers   those about sessions, runs, jobs, sub-agents and settings
```
"""
