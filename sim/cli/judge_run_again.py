"""A recorded run for a comparison, with the verdict of its files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.recording.recording import Recording


def judge_run_again(folder: Path) -> Recording:
    """Return the run with its checks repeated; a stored verdict "fail" is kept.

    Raises
    ------
    RecordingError
        If the run cannot be read, or a channel needed by a check is missing.
    """
    from sim.checks import judge_recording
    from sim.recording.recording import Recording

    recording = Recording.read(folder)
    judged = judge_recording(recording)
    return judged.with_description(verdict="fail") if recording.run.verdict == "fail" else judged
