"""Export of a run: tables in the formats of other programs, or an ADAMS model."""

from sim.reports.exports.exporting import export
