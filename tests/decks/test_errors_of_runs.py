"""Errors of a deck's run: the statement and its line, and the term or the force at fault."""

import pytest

DECK = """a mass on a slide
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1
PART/2, MASS = 2, CM = 20, IP = 0.1, 0.1, 0.1
MARKER/20, PART = 2
JOINT/1, TRANSLATIONAL, I = 20, J = 1
SFORCE/8, TRANSLATIONAL, ACTIONONLY, I = 20, J = 1, FUNCTION = -DZ(20,1)
{more}
END
"""


def force(function, flags="ACTIONONLY, "):
    return f"SFORCE/9, TRANSLATIONAL, {flags}I = 20, J = 1, FUNCTION = {function}"


def test_the_remedy_for_shapes_that_overlap_is_one_of_a_deck(sim_command, tmp_path):
    balls = (
        "GRAPHICS/1, ELLIPSOID, CM = 1, XSCALE = 0.2, YSCALE = 0.2, ZSCALE = 0.2\n"
        "MARKER/21, PART = 2, QP = 0, 0, 0.15\n"
        "GRAPHICS/2, ELLIPSOID, CM = 21, XSCALE = 0.2, YSCALE = 0.2, ZSCALE = 0.2\n"
        "CONTACT/1, IGEOM = 1, JGEOM = 2, IMPACT, STIFFNESS = 1E3, EXPONENT = 1.5"
    )
    (tmp_path / "balls.adm").write_text(DECK.format(more=balls), encoding="utf-8")
    options = ("--no-report", "--set", "duration=0.01")
    done = sim_command("run", "balls.adm", *options)
    assert "overlap by 0.05 m at the start" in done.err  # two radii of 0.1 m, 0.15 m apart
    remedy = "allow_overlap=True in the script that `sim convert DECK FOLDER` writes"
    assert done.err.rstrip().endswith(f"move one of them, or set {remedy}")
    assert sim_command("convert", "balls.adm", "balls").status == 0
    script = tmp_path / "balls" / "balls.py"
    text = script.read_text("utf-8")
    assert text.count("sim.Contact(") == 1
    script.write_text(text.replace("sim.Contact(", "sim.Contact(allow_overlap=True, "), "utf-8")
    assert sim_command("run", "balls/balls.py", *options).status in (0, 1)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (force("2 + SQRT(0.2-TIME)"), "SFORCE/9: {} is not finite at t = 0.2 s: SQRT(0.2 - TIME)"),
        (force("3/DZ(20,1)"), "SFORCE/9: {} is not finite at t = 0 s: 3 / DZ(20, 1)"),
        (
            force("1", flags=""),
            "SFORCE/9: SForce 'SFORCE_9': markers '20' and '1' are at one",
        ),
        (
            "DIFF/3, IC = 1, FUNCTION = 1 - LOG(DIF(3)-1)",
            "DIFF/3: The rate of state '3': it is not finite at t = 0 s: LOG(",
        ),
        (
            force("-1E15*DZ(20,1)"),
            "SFORCE/9 and line 7, JOINT/1: Free joint 'JOINT_1' is stiff: with SForce 'SFORCE_9' "
            "it oscillates at 3.56e+06 Hz",  # sqrt(k/m) / 2π
        ),
        (  # it is infinitely far after π sqrt(m/2a) s with a = 1000/m
            force("EXP(1000*DZ(20,1))"),
            "SFORCE/9: The free joints could not be integrated beyond t = 0.0993",
        ),
    ],
)
def test_an_error_of_a_run_names_line_and_term(sim_command, tmp_path, more, message):
    (tmp_path / "slide.adm").write_text(DECK.format(more=more), encoding="utf-8")
    done = sim_command("run", "slide.adm", "--no-report", "--set", "duration=0.5")
    assert done.status == 2
    said = message.format("SForce 'SFORCE_9': its function")
    assert f"sim: slide.adm, line 9, {said}" in done.err
