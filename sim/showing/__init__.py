"""What a value looks like to a person: one line in an interpreter, a table in a notebook."""

from sim.showing.fragments import html_list, html_table
from sim.showing.one_line import WIDTH, counted, given, one_line, shortened

__all__ = ["WIDTH", "counted", "given", "html_list", "html_table", "one_line", "shortened"]
