"""Definition of tools: `@tool`, schemas, call contexts."""
