"""Functions of time in the language of ADAMS, independent of any robot."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.functions.curves import heart
    from sim.functions.expression import Expression, expression
    from sim.functions.impact import bistop, impact, step
    from sim.functions.integral import Antiderivative, antiderivative
    from sim.functions.lint import LintWarning, lint, lint_spline
    from sim.functions.operation import Operation
    from sim.functions.operations import FUNCTIONS
    from sim.functions.spline import Spline, spline
    from sim.functions.time_function import TimeFunction, require_finite
else:
    load_names_on_use(__name__)
