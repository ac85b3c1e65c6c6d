"""Cells of the transcript."""
