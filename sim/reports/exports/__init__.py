"""A run for other programs: tables in their formats, or a model of ADAMS."""

from sim.reports.exports.exporting import export
