"""What a person sees of a run: the terminal summary, the figures and the page."""

from sim.reports.writing import report, write_figures_into, write_page_into, write_report_into

__all__ = ["report", "write_figures_into", "write_page_into", "write_report_into"]
