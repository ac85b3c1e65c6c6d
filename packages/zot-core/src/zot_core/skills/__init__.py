"""Skills: `SKILL.md` files that a model reads when a task calls for them.

```python
skills = find_skills(cwd, home, user_home)
section = skills_section(skills.found)  # for the system prompt: names and descriptions
tool = skill_tool(skills.found)         # gives the model the text of one
text = expand(skills.found[0], "the last commit")  # what /skill:NAME submits
```
"""

from zot_core.skills.discover import ExtensionSkills, Skills, find_skills, project_skills
from zot_core.skills.section import skills_section
from zot_core.skills.skill import Skill
from zot_core.skills.use import SKILL_TOOL, expand, pinned_section, skill_tool

__all__ = [
    "SKILL_TOOL",
    "ExtensionSkills",
    "Skill",
    "Skills",
    "expand",
    "find_skills",
    "pinned_section",
    "project_skills",
    "skill_tool",
    "skills_section",
]
