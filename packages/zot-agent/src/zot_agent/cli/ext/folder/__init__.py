"""The folder of an extension: manifest, git, requirements, theme."""
