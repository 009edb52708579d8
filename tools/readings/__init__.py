"""Readings of features of robot files by other programs: measured, and compared with the table."""
