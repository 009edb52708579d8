"""Fuzzing: malformed inputs, and whether the program takes them as it promises."""
