"""The permissions of extensions: in words for a person, and kept to by the operating system."""
