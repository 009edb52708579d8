"""Configuration of the documentation: `make docs` builds it into docs/build/html."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tools.gallery import write_gallery  # noqa: E402
from tools.reference_pages import write_pages  # noqa: E402
from tools.verification_manual import write_manual  # noqa: E402

project = "sim"
author = "The authors of sim"
project_copyright = "The authors of sim; Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxarg.ext"]
# What is written from the code and included by another page.
exclude_patterns = [
    "build",
    "benchmarks/*.md",
    "reference/channel_table.md",
    "reference/limits_of_methods.md",
    "reference/reading_table.md",
    "reference/mjcf_reading_table.md",
    "reference/sdf_reading_table.md",
]

html_theme = "furo"
html_title = "sim"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["gallery.css", "tables.css", "verification.css"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # so that a link to a heading is checked
# A docstring says a type in words ("array_like, shape (n,)"), which is no name to be found.
nitpick_ignore_regex = [("py:(class|exc)", ".*")]

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
add_module_names = False
toc_object_entries = False  # the headings name them

write_pages(HERE / "reference")
write_manual(HERE / "verification.md", HERE / "build" / "verification.md")
html_extra_path = write_gallery(HERE / "gallery.md", HERE / "build" / "gallery")


def setup(app):
    """A bar in a docstring is a magnitude, ``|q|``, and no substitution."""
    app.connect("autodoc-process-docstring", _with_bars, priority=100)


def _with_bars(app, what, name, obj, options, lines):
    for number, line in enumerate(lines):
        parts = re.split(r"(``.*?``)", line)
        lines[number] = "".join(p if p.startswith("``") else p.replace("|", r"\|") for p in parts)
