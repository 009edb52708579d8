"""How a run gets to disk and back: whole files, tables, staging, locks, the folders of runs."""

__all__ = [
    "leftovers",
    "locks",
    "named_file",
    "run_folders",
    "staging",
    "table_files",
    "whole_files",
]
