"""The prompt: its editor, drafts, files, images, external editor."""
