import itertools

from sim.playback.colours import GREEN, RED, VERDICTS, in_bytes


def luminance(colour):
    """Relative luminance by WCAG 2.1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_bytes_are_the_same_colour():
    assert in_bytes((0.0, 1.0, 0.5)) == (0, 255, 128)


def test_verdicts_can_be_read_on_the_light_background():
    """WCAG 2.1 asks for a contrast of 4.5 : 1, for letters of this size of 3 : 1."""
    background = luminance((0.955, 0.965, 0.975))
    for colour in VERDICTS.values():
        assert (background + 0.05) / (luminance(colour) + 0.05) > 4.0


def test_verdicts_differ_for_those_who_see_no_red():
    """In blue and in brightness, not in red against green alone."""
    for first, second in itertools.combinations((GREEN, RED), 2):
        assert abs(first[2] - second[2]) > 0.3
