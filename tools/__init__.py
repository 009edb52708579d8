"""Programs for who works on the project; none of them travels in the wheel."""
