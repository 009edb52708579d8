"""Texts that the command prints about a run; each name is imported from its own file."""
