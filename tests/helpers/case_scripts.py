"""Scripts of verification cases, whose mechanisms other tests use as well."""

import runpy
from types import SimpleNamespace

from sim.shipped import verification


def case_script(chapter: str, name: str) -> SimpleNamespace:
    """What a case defines."""
    return SimpleNamespace(**runpy.run_path(str(verification() / chapter / f"{name}.py")))
