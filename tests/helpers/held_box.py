"""A box that fingers hold by friction."""

from sim import Contact, ContactLaw, ContactShape, Force
from tests.helpers.small_robots import joint, link, robot


def box_between_fingers(mass, N, rate, mu, **friction):
    """A box that two fingers hold with N while it is pulled up with a force `rate` t."""
    plant = robot(
        link("left", 0.1), link("right", 0.1), link("box", mass, moments="1e-3 1e-3 1e-3"),
        joint("l", "prismatic", "ground", "left", "1 0 0"),
        joint("r", "prismatic", "ground", "right", "1 0 0"),
        joint("z", "prismatic", "ground", "box", "0 0 1"),
    )  # fmt: skip
    k = 2e5
    box, law = ContactShape.box("box", (0.06, 0.06, 0.06)), ContactLaw.impact(k, 1.0, 100.0)
    fingers = [
        Contact(
            ContactShape.box(side, (0.02, 0.03, 0.04), at=(sign * (0.04 - N / k), 0, 0)), box, law,
            name=side, mu_static=mu, **friction,
        )
        for side, sign in (("left", -1), ("right", 1))
    ]  # fmt: skip
    press = [Force("left", force=(N, 0, 0)), Force("right", force=(-N, 0, 0))]
    return plant, [*fingers, *press, Force("box", force=(0, 0, f"{rate}*time"))]
