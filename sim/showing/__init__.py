"""Display of values: one line in an interpreter, a table in a notebook."""

from sim.showing.fragments import html_list, html_table
from sim.showing.one_line import WIDTH, changed_fields, count_text, one_line, shorten, span_text
