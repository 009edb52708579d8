"""DeckModel: an ADAMS deck as robot, drives and forces, ready to run or to be written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sim.decks.deck import Deck, read_deck
from sim.decks.deck_drives import DeckDrives, deck_drives
from sim.decks.deck_forces import deck_forces
from sim.decks.deck_friction import deck_friction
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_speeds import with_speeds
from sim.decks.deck_urdf import urdf_text
from sim.decks.followers import with_couplings
from sim.decks.spanning_tree import spanning_tree
from sim.decks.statements import Statement
from sim.dynamics.marker_force import MarkerForce
from sim.errors import DeckError, SimError
from sim.recording.schema.methods import MethodName
from sim.robots.joint_friction import JointFriction
from sim.robots.loading import read_urdf
from sim.scenario.scenario import Scenario

DURATION, STEP = 5.0, 0.01  # [s]; a deck has neither, its command file does


@dataclass(frozen=True, eq=False)
class DeckModel:
    """What a deck becomes.

    Parameters
    ----------
    source : str
        Name of the deck's file.
    urdf : str
        The robot.
    drives : DeckDrives
    forces : tuple of (Statement, MarkerForce)
    friction : mapping of str to JointFriction
        By the name of the joint.
    skipped : tuple of str
        A line on each kind of statement that is passed over.
    notes : tuple of str
        What a reader of a run should know.
    """

    source: str
    deck: Deck
    urdf: str
    drives: DeckDrives
    forces: tuple[tuple[Statement, MarkerForce], ...]
    friction: Mapping[str, JointFriction] = field(default_factory=dict)
    skipped: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = field(default=())

    @property
    def method(self) -> MethodName:
        """Adaptive where a joint is free; else all joints are prescribed."""
        return "adaptive" if self.drives.free else "ideal"

    def scenario(self, duration: float = DURATION, dt: float = STEP) -> Scenario:
        """The scenario of `duration` [s], sampled every `dt` [s]."""
        return Scenario(
            read_urdf(self.urdf, source=self.source).with_friction(self.friction),
            self.drives.motion(),
            duration=duration,
            dt=dt,
            method=self.method,
            gravity=self.deck.gravity,
            forces=tuple(force for _, force in self.forces),
            notes=self.notes,
        )


def load_deck(path: Path) -> DeckModel:
    """Read an ``.adm`` file.

    Raises
    ------
    DeckError
        If it cannot be read or run here; names file, line, statement and reason.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DeckError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        return deck_model(data.decode("utf-8", errors="replace"), path.name)
    except SimError as error:
        raise DeckError(f"{path}, {error}") from None


def deck_model(text: str, source: str = "deck.adm") -> DeckModel:
    """Model of the text of a deck; see `load_deck`."""
    deck = read_deck(text)
    tree = with_couplings(deck, spanning_tree(deck))
    functions = DeckFunctions(deck, tree)
    drives = deck_drives(functions)
    if not (drives.free or any(drives.drives.values())):
        raise DeckError("line 1: no joint of the deck moves")
    name = re.sub(r"\W", "_", source.rpartition(".")[0] or source)
    urdf = urdf_text(name, tree, f"{source}, an ADAMS deck, as a tree of links; written by sim")
    drives = with_speeds(drives, deck, tree, read_urdf(urdf, source=source))
    forces, friction = deck_forces(functions), deck_friction(deck, tree)
    passed = "; ".join(line.partition(":")[0] for line in deck.skipped)
    notes = (
        *(f"{source}: {note}" for note in (*deck.notes, *tree.notes, *drives.notes)),
        *([f"{source}: passed over: {passed}"] if passed else []),
    )
    return DeckModel(source, deck, urdf, drives, forces, friction, deck.skipped, notes)
