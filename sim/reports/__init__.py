"""Reports of a run for a person: terminal summary, figures, page; see each file."""
