"""What extensions do with the editor: its modes, its keys, and how its text is drawn."""
