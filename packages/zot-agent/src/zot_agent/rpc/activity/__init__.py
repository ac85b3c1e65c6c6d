"""The commands about activity beside the prompt: jobs, sub-agents, and what tools and extensions show."""
