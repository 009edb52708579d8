"""Schema of the data of a run: channels, description, methods, verdicts."""
