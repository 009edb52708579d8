"""The reactions of a run a second time, at some of its samples: each joint cut open and held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.cut_open import cut_reactions
from sim.dynamics.wrench import pin_wrenches
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.simulation.answer import Answer
from sim.simulation.problem import Problem
from sim.simulation.table import reaction_columns

if TYPE_CHECKING:
    import pandas as pd

# Evenly over the run, and where the force and the moment of each joint are largest: what is wrong
# with a formula shows there, and a UR10 takes 50 ms.
INSTANTS = 32


def cut_samples(problem: Problem, answer: Answer) -> pd.DataFrame:
    """Reactions at the motion of an answer by `sim.dynamics.cut_open`, one row for each instant."""
    import pandas as pd

    rows = _instants(answer.reaction)
    t, motion = problem.t[rows], answer.motion
    q, qd, qdd = (x[:, rows] for x in (motion.q, motion.qd, motion.qdd))
    external = problem.wrenches(t, q, qd)
    rods = answer.rods[..., rows]

    def kernel(robot: Robot, part: slice) -> tuple[Array]:
        here = [wrench.during(part) for wrench in external]
        here += pin_wrenches(robot, q[:, part], rods[..., part])
        return (cut_reactions(robot, q[:, part], qd[:, part], qdd[:, part], problem.gravity, here),)

    (reaction,) = problem.payloads.evaluate(t, kernel)
    columns = reaction_columns(problem.robot, reaction)
    return pd.DataFrame(columns, index=pd.Index(t, name="t"))


def _instants(reaction: Array) -> NDArray[np.intp]:
    """Ascending numbers of the samples that are judged."""
    count = reaction.shape[-1]
    even = np.linspace(0, count - 1, min(INSTANTS, count)).round().astype(np.intp)
    force, moment = np.split(reaction, 2, axis=1)
    largest = [np.argmax(np.sum(part**2, axis=1), axis=-1) for part in (force, moment)]
    return np.unique(np.concatenate([even, *largest]))
