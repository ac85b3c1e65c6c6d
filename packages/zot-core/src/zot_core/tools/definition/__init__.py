"""How a tool is defined: `@tool`, its schema, its context."""
