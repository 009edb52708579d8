"""Fuzzing: inputs that nobody would write, and whether the program takes them as it promises."""
