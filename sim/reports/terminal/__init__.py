"""Texts that the command prints about a run; import each name from its own file."""
