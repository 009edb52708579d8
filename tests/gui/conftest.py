"""A display without a screen, a hand on its mouse, and a look at its pixels."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool"}  # and the Debian packages that bring them
WIDTH, HEIGHT = 1280, 800
PATIENCE = 90.0  # s; a busy machine draws by software
RETRY = 15.0  # s; longer than the slowest answer that was seen


@dataclass
class Display:
    """A running X server.

    Parameters
    ----------
    name : str
        As in the environment variable DISPLAY.
    folder : Path
        Where the server keeps its picture.
    """

    name: str
    folder: Path
    server: subprocess.Popen[str]

    def do(self, *words: object) -> str:
        """Let xdotool do something."""
        done = subprocess.run(
            ["xdotool", *map(str, words)],
            env={**os.environ, "DISPLAY": self.name},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout

    def click(self, x: int, y: int) -> None:
        """Press and release the left button."""
        self.do("mousemove", x, y, "sleep", 0.4, "mousedown", 1)
        self.do("sleep", 0.4, "mouseup", 1)

    def drag(self, x: int, y: int, to: int) -> None:
        """Drag horizontally."""
        self.do("mousemove", x, y, "sleep", 0.4, "mousedown", 1, "sleep", 0.4)
        self.do("mousemove", (x + to) // 2, y, "sleep", 0.3, "mousemove", to, y, "sleep", 0.4)
        self.do("mouseup", 1)

    def key(self, name: str) -> None:
        """Press a key over the middle of the window."""
        self.do("mousemove", WIDTH // 2, HEIGHT // 2, "key", name)

    def window(self) -> str:
        """Number of the only window that has a name."""
        return self.do("search", "--onlyvisible", "--name", ".").split()[-1]

    def picture(self) -> np.ndarray:
        """What the screen shows, shape (HEIGHT, WIDTH, 3): the server's XWD file."""
        data = (self.folder / "Xvfb_screen0").read_bytes()
        header = np.frombuffer(data, ">u4", count=25)
        start = int(header[0] + 12 * header[19])  # header, then the colour map
        bgrx = np.frombuffer(data, np.uint8, count=4 * WIDTH * HEIGHT, offset=start)
        return bgrx.reshape(HEIGHT, WIDTH, 4)[..., 2::-1].copy()


@pytest.fixture
def start_display(tmp_path, monkeypatch):
    """Start an X server with some options and make it the display of this process."""
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if missing:
        pytest.skip(f"needs a virtual display: apt-get install {' '.join(missing)}")
    servers = []

    def start(*options):
        reading, writing = os.pipe()
        folder = tmp_path / "screen"
        folder.mkdir(exist_ok=True)
        screen = f"{WIDTH}x{HEIGHT}x24"
        server = subprocess.Popen(
            [
                *("Xvfb", "-displayfd", str(writing), "-screen", "0", screen),
                # else it begins anew as its last client goes, and refuses one that comes then
                *("-fbdir", str(folder), "-nolisten", "tcp", "-noreset", *options),
            ],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
            text=True,
        )
        servers.append(server)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            name = f":{pipe.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        return Display(name, folder, server)

    yield start
    for server in servers:
        server.terminate()
        server.wait(10)


@pytest.fixture
def display(start_display):
    """A display with OpenGL."""
    return start_display()


@pytest.fixture
def until():
    """Listen to what is told until it fulfils a condition; returns what did.

    What the hand does meanwhile may be given. It is done again every `RETRY` seconds: on a busy
    machine a first gesture can come before the window has drawn what it is meant for.
    """

    def listen(told, condition, gesture=None):
        end, next_gesture = time.monotonic() + PATIENCE, 0.0
        for one in told:
            if one is not None and condition(one):
                return one
            if gesture is not None and time.monotonic() > next_gesture:
                gesture()
                next_gesture = time.monotonic() + RETRY
            if time.monotonic() > end:
                pytest.fail(f"not within {PATIENCE:g} s; the last was {one}")
        return pytest.fail("the window was closed before")

    return listen
