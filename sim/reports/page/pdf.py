"""Page of a run as a PDF, printed by a browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from sim.errors import RecordingError
from sim.recording.files.named_file import MARK, require_place
from sim.recording.files.whole_files import refusal, write_bytes

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")
PATIENCE = 180  # [s]
DRAWN = 20_000  # [ms] of the page's virtual time, until all plots are drawn


def find_browser() -> str | None:
    """Return the path of a browser that can print a page; None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def require_browser() -> str:
    """Return the path of a browser that can print a page.

    Raises
    ------
    RecordingError
        If none is on the PATH.
    """
    if (browser := find_browser()) is None:
        raise RecordingError(
            "A PDF is printed by Chromium, Chrome or Edge, and none is on the PATH; install one "
            "(Debian: apt-get install chromium), or print the page from your browser"
        )
    return browser


def write_pdf(page: Path, pdf: Path) -> None:
    """Print an HTML page as a PDF of A4 pages with all its sections.

    Raises
    ------
    RecordingError
        If there is no browser, it fails, or the PDF cannot be written.
    """
    browser = require_browser()
    require_place(pdf, ".pdf")
    with tempfile.TemporaryDirectory(prefix="sim-pdf-") as folder:
        printed = Path(folder) / "page.pdf"
        words = [
            browser,
            "--headless",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={folder}/profile",
            f"--virtual-time-budget={DRAWN}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={printed}",
            page.resolve().as_uri(),
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            words.insert(1, "--no-sandbox")  # as root, Chromium requires this option
        try:
            done = subprocess.run(
                words, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            raise RecordingError(f"{browser} has not printed {page} in {PATIENCE} s") from None
        except OSError as error:
            raise RecordingError(f"{browser} cannot be started: {refusal(error)}") from error
        if not printed.is_file():
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            raise RecordingError(f"{browser} could not print {page}: {last[0]}")
        try:
            write_bytes(pdf.resolve(), printed.read_bytes() + b"% " + MARK + b"\n")
        except OSError as error:
            raise RecordingError(f"Cannot write {pdf}: {refusal(error)}") from error
