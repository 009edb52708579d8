"""Notes on a run's robot: payloads beyond the rating, unusual gear ratios."""

from __future__ import annotations

import re
from collections import Counter

from sim.errors import ModelError
from sim.recording.schema.description import OVERLOAD
from sim.robots.robot import Robot
from sim.robots.transmissions import transmissions_of
from sim.showing.one_line import shorten_list
from sim.simulation.payload_schedule import PayloadSchedule

BEAM = re.compile(r'<material name="([^"]+) beam"')  # material of the pieces of a `FlexibleLink`
PAYLOAD = re.compile(r"payload(_\d+)?")  # links that `Robot.with_payload` adds


def overload(payloads: PayloadSchedule) -> tuple[str, ...]:
    """Return a note if the payloads of a stage exceed the rating; none without a rating."""
    card = payloads.robot.card
    if card is None or card.payload is None:
        return ()
    rated, links = card.payload.value, set(payloads.links.values())
    carried = [
        sum(
            link.inertia.mass
            for link in stage.robot.links
            if link.inertia and (link.name in links or PAYLOAD.fullmatch(link.name))
        )
        for stage in payloads.stages
    ]
    most = max(carried)
    if most <= rated * (1 + 1e-12):  # allows for rounding of a sum
        return ()
    begin = payloads.stages[carried.index(most)].begin
    return (
        f"{OVERLOAD}{payloads.robot.name!r} carries {most:.6g} kg from t = {begin:g} s on, "
        f"{100 * most / rated:.0f} % of its rated payload of {rated:g} kg",
    )


MOST = 6  # joints named in the note


def transmissions(robot: Robot) -> tuple[str, ...]:
    """Return notes on gear ratios that are unused, unusual or without a rotor."""
    return tuple(
        filter(None, (_unused_transmissions(robot), _reciprocal(robot), _without_rotor(robot)))
    )


def flexible_links(robot: Robot) -> tuple[str, ...]:
    """Return a note on each link divided by `sim.FlexibleLink`."""
    pieces = Counter(BEAM.findall(robot.text))
    return tuple(
        f"Link {link!r} bends: a beam in {count} rigid pieces on hinges with springs"
        for link, count in pieces.items()
    )


def tool_choice(robot: Robot) -> tuple[str, ...]:
    """Return a note if the tool frame is one of several links, chosen by its name."""
    return (f"Robot {robot.name!r}: {robot.tool_note}",) if robot.tool_note else ()


def _unused_transmissions(robot: Robot) -> str:
    """Describe joints with a ``<transmission>`` and no drive train, with their ratios."""
    drives = {joint.name for joint in robot.tree_joints if joint.drive is not None}
    try:
        elements = transmissions_of(robot.text, robot.name)
    except ModelError as error:
        return f"<transmission> is not used: {error}"
    unused = [one for one in elements if one.joint not in drives]
    if not unused:
        return ""
    shown = [one.joint + (f" (ratio {one.ratio:g})" if one.ratio else "") for one in unused]
    known = any(one.ratio for one in unused)
    return (
        f"<transmission> of {shorten_list(shown, MOST)} is not used: torques, speeds and ratings "
        "are those of the joint, without a gear ratio or a rotor's inertia"
        + ("; robot.with_transmissions() reads the ratios" if known else "")
    )


def _reciprocal(robot: Robot) -> str:
    """Describe joints that turn faster than their motors."""
    odd = [
        f"{robot.row_names[row]} ({drive.ratio:g})"
        for row, drive in robot.drives.items()
        if robot.coordinates[row].is_angle and abs(drive.ratio) < 1
    ]
    if not odd:
        return ""
    return (
        f"drive train of {shorten_list(odd, MOST)}: a ratio below 1 makes the joint turn faster "
        "than its motor; is it the reciprocal?"
    )


def _without_rotor(robot: Robot) -> str:
    """Describe joints whose motor torque excludes that of the rotor."""
    missing = [
        joint.name
        for joint in robot.tree_joints
        if joint.drive is not None and not joint.drive.rotor_inertia
    ]
    if not missing:
        return ""
    return (
        f"drive train of {shorten_list(missing, MOST)} has a ratio and no rotor: motor torques "
        "leave out what spins the rotors up"
    )
