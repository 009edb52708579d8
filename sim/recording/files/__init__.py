"""How a run gets to disk and back: whole files, tables, staging, locks, the folders of runs."""
