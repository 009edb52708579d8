"""Joints, loops and forces of a deck by the markers between which they act."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sim.decks.deck import channel_names
from sim.decks.deck_drives import COMPONENTS, driven_joint
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_gcon import markers_of
from sim.decks.deck_loops import tie_name
from sim.decks.deck_urdf import pose_numbers, without_rounding
from sim.decks.statements import Statement
from sim.dynamics.joint_ends import JointEnds
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.model_names import PART, ModelNames
from sim.functions.state_functions import GROUND
from sim.maths.rotations import inverse_pose
from sim.robots.marker import Marker

Forces = Sequence[tuple[Statement, MarkerForce]]


class Reactions(Struct, frozen=True, eq=False):
    """Forces between markers, and joints with known forces."""

    functions: DeckFunctions
    forces: Forces

    def why_not(self, function: str, id: int, asking: Statement) -> str:
        """Return why JOINT(id, …), JPRIM or MOTION cannot be recorded; empty if it can be.

        Raises
        ------
        DeckError
            Names the referring statement if there is no such joint.
        """
        if function == "JPRIM":
            is_there = f"JPRIM/{id}" in self.functions.closing_names
        else:
            joint = self.functions.joint_read(function, id)
            motions = self.functions.deck.by_id("MOTION") if function == "MOTION" else ()
            is_there = joint is not None or id in motions
        if not is_there:
            raise asking.refusal(f"{function}({id}): there is no {function}/{id}")
        if function == "JPRIM" or joint is None:
            return ""
        return self.why_unknown(joint, is_motion=function == "MOTION")

    def why_unknown(self, joint: Statement, *, is_motion: bool = False) -> str:
        """Return why the force of a joint, or of its MOTION, is unknown; empty if it is known."""
        tree, deck = self.functions.tree, self.functions.deck
        rows = tree.joints_of[joint.id]
        if tree.is_idle(joint, deck):
            return "FIXED joints hold its parts together already, and it carries nothing here"
        if not is_motion and tree.is_toothed(joint, deck):
            return "forces of the teeth on it are not computed"
        if joint in tree.closing:
            return ""
        if not rows:
            return f"{joint.label} couples two joints, and its own force is not computed"
        if all(row.move == "fixed" for row in rows):
            return "it is FIXED; a sim.Measure records its reaction"
        return ""

    def why_incomplete(self, i: int, j: int) -> str:
        """Return why forces between markers cannot be summed; empty if all are known."""
        tree, deck = self.functions.tree, self.functions.deck
        for one in deck.of("JOINT"):
            is_between = {*self._markers(one)} == {i, j} and not tree.is_idle(one, deck)
            if is_between and (reason := self.why_unknown(one)):
                return f"JOINT/{one.id}: {reason}"
        return ""

    def ends(self, joint: Statement) -> JointEnds:
        """Return the two markers of a constraint, a joint of the tree, a loop or a MOTION."""
        functions = self.functions
        i, j = (functions.marker(id) for id in self._markers(joint))
        if joint.keyword == "MOTION":
            driven = driven_joint(joint, functions.deck, functions.tree)
            of_joint = "Z" if driven.joint.move == "slide" else "B3"
            along = next(iter(joint.flags.intersection(COMPONENTS)), of_joint)
            along = along if driven.sign > 0 else f"-{along}"
            name = functions.drive_names[joint.id]
            return JointEnds(name, (driven.joint.name,), i, j, along=along)
        if loop := functions.closing_names.get(f"{joint.keyword}/{joint.id}"):
            return JointEnds(loop, (), i, j, loop)
        rows = tuple(row.name for row in functions.tree.joints_of[joint.id])
        name = functions.joint_names[joint.id]
        is_free_along = "CYLINDRICAL" in joint.flags
        return JointEnds(name, rows, i, j, tie_name(joint, functions), is_free_along=is_free_along)

    def drives(self) -> list[Statement]:
        """Return the MOTIONs between markers, and those of a JOINT with several freedoms."""
        functions = self.functions
        joints = {*functions.joint_names.values()}
        motions = functions.deck.of("MOTION")
        return [one for one in motions if functions.drive_names[one.id] not in joints]

    def _markers(self, one: Statement) -> tuple[int, int]:
        """Return I and J of a joint or a force; for a GCON those that its function reads."""
        if one.keyword == "MOTION" and (of := self.functions.joint_read("MOTION", one.id)):
            one = of
        if one.keyword == "GCON":
            b, a = markers_of(one, self.functions)
            return int(b), -1 if a == GROUND else int(a)  # -1: ground, which is not a marker
        return one.reference("I") or 0, one.reference("J") or 0

    def between(self, i: int, j: int) -> list[Statement]:
        """Return joints, loops and forces between markers; for j = 0 action-only forces on i."""
        if not j:
            alone = (s for s, force in self.forces if not force.has_reaction)
            return [s for s in alone if s.reference("I") == i]
        deck, pair = self.functions.deck, {i, j}
        joints = [s for s in deck.of("JOINT") if not self.why_unknown(s)]
        joints += self.drives()
        acting = [*joints, *deck.of("JPRIM", "GCON"), *(statement for statement, _ in self.forces)]
        return [s for s in acting if {*self._markers(s)} == pair]


def deck_names(functions: DeckFunctions, forces: Forces) -> ModelNames:
    """Return the deck's names of parts, joints and motions, as ADAMS's results have them."""
    deck, tree = functions.deck, functions.tree
    bodies = [s for s in deck.of("PART", "POINT_MASS") if "GROUND" not in s.flags]
    parts: dict[str, Marker] = {}
    for id, name in channel_names(bodies).items():
        link = tree.link_of[id]
        T_lp = inverse_pose(link.T_0l) @ deck.parts[id].T_0p
        xyz, rpy = (without_rounding(values).tolist() for values in pose_numbers(T_lp))
        parts[name] = Marker(PART, link.name, tuple(xyz), tuple(rpy))
    joints: dict[str, JointEnds] = {}
    reactions = Reactions(functions, forces)
    for one in deck.of("JOINT"):
        if not reactions.why_unknown(one):
            joints[functions.joint_names[one.id]] = reactions.ends(one)
    names = channel_names(deck.of("MOTION"))
    led = {name: functions.drive_names[id] for id, name in names.items()}
    joints |= {end.label: end for end in map(reactions.ends, reactions.drives())}
    return ModelNames(parts, joints, {name: of for name, of in led.items() if of in joints})
