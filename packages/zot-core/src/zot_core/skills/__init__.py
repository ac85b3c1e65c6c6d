"""Skills: `SKILL.md` files that a model reads when a task calls for them."""
