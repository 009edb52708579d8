"""The notebooks of the documentation run, and their cells show something.

A cell is executed as a notebook does it: statement by statement in one namespace; of an expression
at its end all that a notebook would ask it for is made. No Jupyter is needed.
"""

import ast
import json
from functools import cache
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
SHOWN = ("__repr__", "_repr_html_", "_repr_png_")


def cells(name):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def executed(source, namespace):
    """Run a cell; the value of its last expression, None where it ends in a statement."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)


@cache
def outcome(name):
    """Namespace of a notebook after its last cell, and what its cells show."""
    namespace, shown = {}, []
    for source in cells(name):
        value = executed(source, namespace)
        if value is not None:
            shown.append({how: getattr(value, how)() for how in SHOWN if hasattr(value, how)})
    return namespace, shown


def test_all_notebooks_are_tried():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {"first_run", "parameter_study"}


@pytest.mark.parametrize("name", ["first_run", "parameter_study"])
def test_a_notebook_is_one_by_format_and_keeps_no_outputs_that_could_be_old(name):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.mark.parametrize("name", ["first_run", "parameter_study"])
def test_every_cell_runs_and_shows_something(name):
    _, shown = outcome(name)
    assert len(shown) >= len(cells(name)) - 1
    for views in shown:
        assert views["__repr__"].strip()
    assert any("_repr_png_" in views for views in shown)
    assert any("_repr_html_" in views for views in shown)


def test_the_first_run_is_as_its_text_says():
    namespace, _ = outcome("first_run")
    assert namespace["checks"] and all(check.ok for check in namespace["checks"])
    q = namespace["recording"].recorded["q.elbow_joint"]
    # A STEP is even about its middle: 60°/s for 0.6 s between the middles of the two.
    assert abs(q.iloc[-1] - q.iloc[0] - 60 * 0.6 * 3.141592653589793 / 180) < 1e-6  # rad, stepped


def test_the_largest_load_brings_one_joint_to_its_rating_and_none_beyond():
    namespace, _ = outcome("parameter_study")
    robot, run = namespace["scenario"].robot, namespace["at_limit"].recorded
    used = [run[f"tau.{j}"].abs().max() / robot.joint(j).limits.effort for j in robot.joint_names]
    assert max(used) == pytest.approx(1.0, abs=1e-9)  # rounding of a linear law
