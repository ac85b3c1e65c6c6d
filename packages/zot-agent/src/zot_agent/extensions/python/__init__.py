"""The Python packages that an extension needs: its own environment below `$ZOT_HOME/envs`.

```text
environment    the folder of the environment, whether it is complete, and how a process uses it
installer      makes it, with uv or with venv and pip
```
"""
