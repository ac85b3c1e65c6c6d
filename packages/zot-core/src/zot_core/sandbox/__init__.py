"""The sandbox: what a command, an extension and the file tools may reach, enforced by the operating system."""
