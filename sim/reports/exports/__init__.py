"""A run for other programs: tables in their formats, and its drives as ADAMS text."""

from sim.reports.exports.exporting import export

__all__ = ["export"]
