"""The run of a folder for a comparison: with the verdict that its files have earned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.recording.recording import Recording


def judge_run_again(folder: Path) -> Recording:
    """The run, judged anew; a verdict "fail" in its description stays.

    Raises
    ------
    RecordingError
        If the run cannot be read, or a channel that a check needs is not there.
    """
    from sim.checks import judge_recording
    from sim.recording.recording import Recording

    recording = Recording.read(folder)
    judged = judge_recording(recording)
    return judged.with_description(verdict="fail") if recording.run.verdict == "fail" else judged
