"""run for users: simulate, evaluate the model and check."""

from __future__ import annotations

from pathlib import Path

from sim.checks.verdict import judge_recording
from sim.engine_names import EngineName
from sim.maths.arguments import checked
from sim.recording.recording import Recording
from sim.recording.schema.methods import MethodName
from sim.scenario.scenario import Scenario
from sim.simulation.run import Progress
from sim.simulation.run import run as simulate


@checked
def run(
    scenario: Scenario | str | Path,
    *,
    method: MethodName | None = None,
    dt: float | None = None,
    engine: EngineName | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Recording:
    """Simulate a scenario, evaluate the analytic model at the same times, and check both.

    Parameters
    ----------
    scenario : Scenario, str or Path
        Scenario, name of a shipped scenario, or a ``.py`` file with one, with its own parameters.
    method, dt, engine : optional
        Override the scenario's own.
    name : str, optional
        Name of the run in its description (default: that of the script, or "scenario").
    progress : callable, optional
        Called occasionally with the numbers of engine steps done and in total.
    folder : Path, optional
        Existing folder for files of large tables, see `sim.recording.files.table_files` (default:
        tables in memory).

    Returns
    -------
    Recording
        Recording with `Recording.passed`, `Recording.checks` and `Recording.sizing`.

    Raises
    ------
    ScenarioError, ModelError
        If there is no such scenario, a setting or a drive cannot be used, a mass, a length or a
        drive is beyond the limits of any robot, or the run requires too much memory.
    EngineError
        If the engine fails; names joint and time.
    """
    return judge_recording(
        simulate(
            scenario,
            method=method,
            dt=dt,
            engine=engine,
            name=name,
            progress=progress,
            folder=folder,
        )
    )
