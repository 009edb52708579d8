"""Whether a robot carries more than its card rates it for."""

from __future__ import annotations

import re

from sim.recording.schema.description import OVERLOAD
from sim.simulation.payload_schedule import PayloadSchedule

PAYLOAD = re.compile(r"payload(_\d+)?")  # links that `Robot.with_payload` adds


def overload(payloads: PayloadSchedule) -> tuple[str, ...]:
    """A remark where the payloads of a stage weigh more than the rating; none without a rating."""
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
    if most <= rated * (1 + 1e-12):  # of rounding in a sum
        return ()
    begin = payloads.stages[carried.index(most)].begin
    return (
        f"{OVERLOAD}{payloads.robot.name!r} carries {most:.6g} kg from t = {begin:g} s on, "
        f"{100 * most / rated:.0f} % of its rated payload of {rated:g} kg",
    )
