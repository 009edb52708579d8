"""Check for a display on which a window can be opened."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping

from sim.engine_names import is_installed
from sim.errors import PlaybackError

FIRST_PORT = 6000  # of display 0 over TCP
TIMEOUT = 3.0  # s

ADVICE = (
    "write a video or a picture instead (--video FILE), or start a virtual display: xvfb-run -a ..."
)

Address = tuple[socket.AddressFamily, str | tuple[str, int]]


def require_pybullet() -> None:
    """Check that PyBullet, which draws windows, videos and stills, is installed; without import.

    Raises
    ------
    PlaybackError
        Names alternatives.
    """
    if not is_installed("bullet"):
        raise PlaybackError(
            "PyBullet, which draws windows and videos, is not installed here: open the run's page "
            "report.html in a browser (sim report RUN writes it), or pip install pybullet, which "
            "compiles for minutes where it has no wheel"
        )


def require_display(environment: Mapping[str, str] | None = None) -> None:
    """Check that an X server listens; otherwise PyBullet would end the process.

    Raises
    ------
    PlaybackError
        Names the missing part and alternatives.
    """
    if not sys.platform.startswith("linux"):
        return  # on other systems, windows need no X server
    name = (os.environ if environment is None else environment).get("DISPLAY", "")
    if not name:
        raise PlaybackError(f"There is no display to open a window on (DISPLAY is empty): {ADVICE}")
    if not any(_listens(*address) for address in addresses(name)):
        raise PlaybackError(f"No display answers at DISPLAY={name!r}: {ADVICE}")


def addresses(name: str) -> list[Address]:
    """Return possible addresses of the X server of ``[host]:number[.screen]``; none if invalid."""
    match = re.fullmatch(r"(?P<host>[^:/]*|unix)(/unix)?:(?P<number>\d{1,5})(\.\d+)?", name)
    if match is None:
        return []
    number, host = int(match["number"]), match["host"]
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return [(socket.AF_UNIX, path), (socket.AF_UNIX, f"\0{path}")]
    port = FIRST_PORT + number
    return [(socket.AF_INET, (host, port))] if port < 1 << 16 else []


def _listens(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(TIMEOUT)
        try:
            probe.connect(address)
        except OSError:
            return False
    return True
