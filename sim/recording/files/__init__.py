"""Reading and writing of runs: whole files, tables, staging, locks, run folders."""
