"""Frames of single groups, which few extensions ask for."""
