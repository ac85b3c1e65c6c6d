"""`Conversation`: what a front end drives. It queues prompts, runs slash commands and tells everything as one stream.

```text
driver         `Conversation`
queue          one run at a time
events         what a front end is told
commands       slash commands: how they are written, what comes of one
extensions     what is wanted from a host of extensions
shell_command  commands that the person runs
```
"""

from zot_core.conversation.driver import Conversation as Conversation
