"""Report of a study: its page with drawings, its summary, its table."""
