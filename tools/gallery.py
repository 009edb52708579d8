"""Build the gallery of the documentation: a card for each shipped scenario, and its run's page.

    python -m tools.gallery FOLDER [NAME ...]

runs the scenarios (default: all shipped ones) and writes into FOLDER the input of the page
``gallery`` by `docs/conf.py`: ``cards.json``, and ``pages/gallery/NAME.html``, the page of each
run.
"""

from __future__ import annotations

import argparse
import html
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sim.cli.exit_status import WANTING, WELL
from sim.recording.recording import Recording
from sim.reports.page.glb_scene import GlbScene
from sim.reports.page.html_tables import number
from sim.reports.page.page import FILE as PAGE
from sim.reports.page.poster import poster
from sim.scenario.script import load_script
from sim.shipped import scenario_names

CARDS = "cards.json"
PAGES = "pages"  # folder of the files of the site
NOTE = "<!-- Written by tools/gallery.py; edits are lost. -->\n"
INTRODUCTION = """# Gallery

Every scenario that ships with `sim`, as its run left it. A click opens the page of the run: the
robot moves beside its plots, recorded over analytic, and each check leads to the instant of its
worst error ([the page](page.md)). Each is one file, of one or two megabytes, that needs no
network.
"""
WITHOUT = """
This build of the documentation was made without runs; `make docs` makes them. The scenarios are:
"""


class Card(msgspec.Struct, frozen=True):
    """Card of a run in the gallery.

    Parameters
    ----------
    name, title, robot : str
        Name of the scenario, its first sentence, and its robot.
    joints : int
        By which cards are sorted, the largest number first.
    facts : str
        Duration, method, number of checks.
    passed : bool
    href : str
        Address of the page of its run, from the gallery.
    poster : str
        SVG of the robot and the path of its tool.
    """

    name: str
    title: str
    robot: str
    joints: int
    facts: str
    passed: bool
    href: str
    poster: str


def build(folder: Path, names: Sequence[str]) -> list[Card]:
    """Run scenarios and write their cards and pages into a folder, replacing earlier ones.

    Raises
    ------
    subprocess.CalledProcessError
        If a run could not be made; one that fails its checks is a run.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        runs, made = Path(place) / "runs", Path(place) / "made"
        _run(names, runs)
        (made / PAGES / "gallery").mkdir(parents=True)
        cards = []
        for name in names:
            href = f"gallery/{name}.html"
            shutil.copyfile(runs / name / PAGE, made / PAGES / href)
            cards.append(card_of(runs / name, name, href))
        cards.sort(key=lambda card: (-card.joints, card.name))
        (made / CARDS).write_bytes(msgspec.json.encode(cards))
        if folder.exists():
            folder.rename(Path(place) / "former")
        made.rename(folder)
    return cards


def _run(names: Sequence[str], folder: Path) -> None:
    """Run scenarios into folders of their names, by the command that the page then shows."""
    out = folder if len(names) > 1 else folder / names[0]
    chosen = ["--all"] if list(names) == list(scenario_names()) else names
    command = ["run", *chosen, "--out", str(out.relative_to(folder.parent))]
    done = subprocess.run(
        [sys.executable, "-m", "sim", *command],
        stdout=subprocess.DEVNULL,
        check=False,
        cwd=folder.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    )
    if done.returncode not in (WELL, WANTING):
        raise subprocess.CalledProcessError(done.returncode, ["sim", *command])


def card_of(folder: Path, name: str, href: str) -> Card:
    """Return the card of a run's folder."""
    recording, scene = Recording.read(folder), GlbScene.beside(folder)
    run = recording.run
    held = sum(check.ok for check in run.checks)
    return Card(
        name=name,
        title=load_script(name).title,
        robot=run.robot.name,
        joints=len(run.robot.joints),
        facts=f"{number(run.settings.duration)} s, method {run.method}, "
        f"{held} of {len(run.checks)} checks hold",
        passed=run.verdict == "pass",
        href=href,
        poster="" if scene is None else poster(scene, recording),
    )


def write_gallery(page: Path, folder: Path) -> list[str]:
    """Write the page ``gallery`` from a folder of cards, unless it is unchanged.

    Returns the folders whose files belong to the site: none without cards.
    """
    cards = _cards(folder)
    text = gallery(cards) if cards else without_runs()
    if not page.is_file() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")
    return [str(folder / PAGES)] if cards else []


def _cards(folder: Path) -> list[Card]:
    """Return the cards of a folder; none if there are none, or those of another version."""
    try:
        return msgspec.json.decode((folder / CARDS).read_bytes(), type=list[Card])
    except (FileNotFoundError, msgspec.ValidationError):
        return []


def gallery(cards: Sequence[Card]) -> str:
    """Return the page in Markdown, with a grid of cards."""
    grid = "\n".join(map(_html, cards))
    return f'{NOTE}{INTRODUCTION}\n```{{raw}} html\n<div class="gallery">\n{grid}\n</div>\n```\n'


def without_runs() -> str:
    """Return the page without runs: a list of the scenarios."""
    scripts = [load_script(name) for name in scenario_names()]
    rows = "\n".join(f"- `{script.name}`: {script.title}" for script in scripts)
    return f"{NOTE}# Gallery\n{WITHOUT}\n{rows}\n"


def _html(card: Card) -> str:
    verdict = ("pass", "✓ pass") if card.passed else ("fail", "✗ fail")
    title = html.escape(card.title).replace("`", "")
    return (
        f'<a class="card" href="{html.escape(card.href)}">{card.poster}'
        f'<span class="name">{html.escape(card.name)}'
        f'<span class="verdict {verdict[0]}">{verdict[1]}</span></span>'
        f'<span class="sentence">{title}</span>'
        f'<span class="facts">{html.escape(card.robot)}, {html.escape(card.facts)}</span></a>'
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the gallery named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.gallery", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    cards = build(options.folder, options.names or scenario_names())
    failed = [card.name for card in cards if not card.passed]
    if failed:
        sys.stderr.write(f"failed: {', '.join(failed)}\n")


if __name__ == "__main__":
    main()
