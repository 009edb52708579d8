"""Programs for developers of the project; they are not part of the wheel."""
