"""Prompt templates: Markdown files that a slash command sends as a prompt.

```python
templates = PromptTemplates(cwd, home, user_home)
templates.listing().found           # for a menu: names, descriptions, hints for arguments
templates.expand("review", "main")  # what /review main submits; None if there is no such template
```
"""

from zot_core.templates.discover import (
    ExtensionPrompts,
    PromptTemplates,
    TemplateFile,
    TemplateListing,
    project_templates,
)
from zot_core.templates.template import CommandPrompt, PromptTemplate

__all__ = [
    "CommandPrompt",
    "ExtensionPrompts",
    "PromptTemplate",
    "PromptTemplates",
    "TemplateFile",
    "TemplateListing",
    "project_templates",
]
