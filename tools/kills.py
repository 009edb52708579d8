"""Kill runs at random moments, and check that there is always one complete run.

    python -m tools.kills [COUNT]

writes a run of ``two_link`` into one folder, in which and next to which a user has notes, kills a
repetition of it COUNT times (default: 200) between its start and its end, and reports after each
whether the run in the folder can be read and the notes exist, and in the end whether a completed
run has cleaned up. Exits with 1 at the first loss.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sim.errors import RecordingError
from sim.recording.recording import Recording

SIM = (sys.executable, "-c", "import sim; sim.main()")
RUN = ("run", "two_link", "--no-report", "--out", "X")
NOTES = ("X/notes.txt", "X/other/run.json", "beside.txt")


def kills(above: Path, count: int, seed: int = 0) -> dict[str, int]:
    """Return how many runs were killed, and how many, killed or not, replaced the earlier one.

    Raises
    ------
    RecordingError
        If something was lost.
    """
    chance = random.Random(seed)
    began = time.monotonic()
    _run(above)
    takes = time.monotonic() - began
    for note in NOTES:
        (above / note).parent.mkdir(exist_ok=True)
        (above / note).write_text(note, encoding="utf-8")
    done = {"killed": 0, "replaced": 0}
    while done["killed"] < count:
        began = time.monotonic()
        before = (above / "X" / "run.json").stat().st_ino
        # Half of them near the end, when the run is written and moved.
        moment = takes * (
            chance.uniform(0, 1.2) if chance.random() < 0.5 else chance.gauss(0.9, 0.1)
        )
        started = subprocess.Popen([*SIM, *RUN], cwd=above, stdout=subprocess.DEVNULL)
        try:
            started.wait(max(moment, 0))
            takes = 0.9 * (time.monotonic() - began)  # it was faster than the one before
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()
            done["killed"] += 1
        _require_all(above)
        done["replaced"] += (above / "X" / "run.json").stat().st_ino != before
    _run(above)
    _require_all(above)
    hidden = sorted(path.name for path in above.iterdir() if path.name.startswith("."))
    if hidden:
        raise RecordingError(f"A run that was let live did not tidy up {', '.join(hidden)}")
    return done


def _run(above: Path) -> None:
    subprocess.run([*SIM, *RUN], cwd=above, check=True, stdout=subprocess.DEVNULL)


def _require_all(above: Path) -> None:
    if Recording.read(above / "X").run.verdict != "pass":
        raise RecordingError("The run that is there did not pass")
    # A file moving between the former run and the next may be in a hidden folder next to it.
    for note in NOTES:
        name = Path(note).relative_to("X") if note.startswith("X/") else Path(note)
        places = [above / note, *above.glob(f".X.sim-*.old/{name}")]
        if not any(path.is_file() and path.read_text("utf-8") == note for path in places):
            raise RecordingError(f"{note} is lost")


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(f"{kills(Path(folder), int((*sys.argv, '200')[1]))}\n")
