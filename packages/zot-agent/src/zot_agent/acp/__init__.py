"""`zot acp`: the Agent Client Protocol over standard input and output, for editors."""
