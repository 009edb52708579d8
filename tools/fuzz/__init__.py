"""Fuzzing: malformed inputs, which the program must handle as promised."""
