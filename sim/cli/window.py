"""The window of `sim studio`, opened by several commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode

from sim.cli.exit_status import WELL
from sim.errors import PlaybackError


def can_open_window(folder: Path) -> bool:
    """Whether a browser can show the window of a folder; otherwise a page is a separate file."""
    from sim.playback.browser import has_graphical_browser

    has_server = all(find_spec(name) is not None for name in ("starlette", "uvicorn"))
    return has_server and os.access(folder, os.W_OK | os.X_OK) and has_graphical_browser()


def open_window(
    folder: Path,
    first: Mapping[str, str] | None = None,
    *,
    page: Path | None = None,
    meshes: Sequence[Path] = (),
    port: int = 0,
    opens: bool = True,
) -> int:
    """Serve the window of a folder until the process is stopped; return the exit status.

    Parameters
    ----------
    folder : Path
    first : mapping of str to str, optional
        What the window shows first, for the fragment of its address: ``robot``, with ``tool`` and
        ``pose``, in the pane Teach; a ``run``, as NAME/ID; or `page`, by its ``title``.
    page : Path, optional
        A page of runs.
    meshes : sequence of Path
        Folders other than `folder` from which meshes are read.
    port : int
        0 for any free port.
    opens : bool
        Open a browser; otherwise only print the address.

    Raises
    ------
    PlaybackError
        If the server cannot be started.
    """
    try:
        from sim.studio.server import serve
    except ImportError as error:
        raise PlaybackError(
            f"sim studio requires Starlette and uvicorn: pip install 'sim[studio]' ({error})"
        ) from error
    fragment = f"#{urlencode(first)}" if first else ""
    serve(
        folder,
        [sys.executable, "-m", "sim"],
        [sys.executable, "-m", "sim.cli.studio_worker", *map(str, meshes)],
        lambda address: _show(address + fragment, opens=opens),
        port,
        page=page,
        meshes=meshes,
    )
    return WELL


def _show(address: str, *, opens: bool) -> None:
    """Print the address, and open it in a browser if there is one."""
    from sim.cli.output import console
    from sim.playback.browser import open_address

    out = console()
    out.print(f"window   {address}", highlight=False, markup=False, soft_wrap=True)
    out.print("stop     Ctrl-C", highlight=False, markup=False)
    if opens and not open_address(address):
        out.print("no browser found; open this address in one", style="yellow")
