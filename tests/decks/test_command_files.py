"""Files of ADAMS besides decks: what they are, and when a command file simulates."""

import math

import pytest

import sim
from sim.decks.command_file import read_command_file
from sim.decks.deck_script import deck_script, settings_of_commands
from sim.decks.other_files import KINDS
from sim.errors import DeckError, ForeignError
from tests.decks.test_deck_inputs import PLANT

ARM = "file/model=arm\nSIMULATE/DYNAMIC, END=1.0, DTOUT=0.01\nstop\n"


@pytest.fixture
def read(tmp_path):
    def of(text):
        path = tmp_path / "arm.acf"
        path.write_text(text, encoding="utf-8")
        return read_command_file(path, tmp_path / "arm.adm")

    return of


def test_an_abbreviation_that_may_move_the_model_is_noted(read):
    (note,) = read("RE/SYS, FILE=a\nDE/SPR, ID=3\nRES/XRF\nSIM/DYN, END=1, STEPS=2\n").notes
    assert note == "arm.acf: not followed: RE; DE"


@pytest.mark.parametrize(
    ("text", "end", "step"),
    [
        (ARM, 1.0, 0.01),
        ("sim/tran, end = 2, steps=100", 2.0, 0.02),
        ("SIMULATE/KINEMATICS,\n, DURATION=0.5 ! a comment\n, DTOUT=1.0D-3\n", 0.5, 1e-3),
        ("simulate/transient, &\n duration=4, &\n steps=8\nstop", 4.0, 0.5),
        ("SIM/STATICS\nSIM/DYN, END=2, STEPS=4\nSIM/DYN, DUR=1, DTOUT=0.25\n", 3.0, 0.25),
        ("SIMULATE/DYNAMIC, END=3", 3.0, None),
    ],
)
def test_when_a_command_file_simulates(read, text, end, step):
    found = read(text)
    assert found.duration == pytest.approx(end, rel=1e-15)
    assert found.dt == (None if step is None else pytest.approx(step, rel=1e-15))


def test_what_does_not_count_is_noted(read):
    text = "FILE/MODEL=other\nOUTPUT/NOPRINT\nDEACTIVATE/REQUEST, ID=3\nSIM/STATICS\n"
    notes = read(f"SIM/DYN, END=1, STEPS=2\n{text}SIM/DYN, INIT, END=2, STEPS=4\n").notes
    assert notes == (
        "arm.acf: it names the model 'other', and arm.adm is run",
        "arm.acf: its 2 simulations are one run, at the smallest of their steps",
        "arm.acf: not followed: DEACTIVATE; SIM/STATICS after a simulation in time; "
        "SIM/DYN, INIT, END=2, STEPS=4 after a simulation in time",
    )
    assert not read(ARM).notes


@pytest.mark.parametrize("ambiguous", ["RE", "DE", "FI", "S"])
def test_an_abbreviation_that_may_have_an_effect_is_noted(read, ambiguous):
    """RELOAD or RESULTS, DEACTIVATE or DEBUG, FIELD or FILE, SIMULATE or STOP."""
    assert read(f"{ambiguous}/1\n{ARM}").notes == (f"arm.acf: not followed: {ambiguous}",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("stop\n", "has no SIMULATE/DYNAMIC, TRANSIENT or KINEMATIC with END or DURATION"),
        ("SIMULATE/STATICS\n", "--set duration=SECONDS"),
        ("SIMULATE/DYNAMIC, STEPS=10\n", "it has neither END nor DURATION"),
        ("SIMULATE/DYNAMIC, END=soon\n", "END must be a number above 0"),
        ("SIMULATE/DYNAMIC, END=1, DTOUT=0\n", "DTOUT must be a number above 0"),
        ("SIM/DYN, END=2, STEPS=9\nSIM/DYN, END=1, STEPS=9\n", "it ends at 1, and begins at 2"),
        ("SIM/DYNAMIK, END=1\n", r"DYNAMIK is unknown .did you mean DYNAMICS\?.; a SIMULATE is"),
        (
            f"{ARM}sforce/1, func=8\n",
            r"'sforce/1, func=8': a command that changes .* SFORCE",
        ),
        (f"DEACT/JOINT, ID=3\n{ARM}", "DEACT/JOINT, ID=3': only forces, .*; delete this"),
        (f"DEACT/SFORCE, RANGE=1,3\n{ARM}", "RANGE=1,3': ACTIVATE and .* one kind of element"),
        (f"rel/system, file=a.sav\n{ARM}", "a saved state cannot be restored; delete this"),
        ("MOT/1, FUNC=8\nSIM/DYN, END=2\n", "changes the model is not supported; change MOTION"),
    ],
)
def test_a_command_file_that_cannot_be_followed_is_refused(read, text, reason):
    with pytest.raises(DeckError, match=reason):
        read(text)
    with pytest.raises(ForeignError, match="is empty"):
        read("")


def test_a_deck_is_run_as_its_command_file_says(sim_command, tmp_path):
    """END and DTOUT are in the deck's unit of time, here milliseconds; what is typed counts."""
    deck = PLANT.replace("TIME = SECOND", "TIME = MILLISECOND")
    (tmp_path / "plant.adm").write_text(deck, encoding="utf-8")
    (tmp_path / "plant.acf").write_text("SIM/STA\nSIM/DYN, END=200, DTOUT=50\n", encoding="utf-8")
    asked = ("run", "plant.adm", "--acf", "plant.acf", "--no-report", "--json")
    settings = sim_command(*asked).document["settings"]
    assert (settings["duration"], settings["samples"]) == (pytest.approx(0.2), 5)
    typed = ("--set", "acf=plant.acf", "--set", "duration=0.1", "--out", "first")
    done = sim_command("run", "plant.adm", *typed, "--no-report", "--json")
    assert done.document["settings"]["samples"] == 3
    assert any(
        "starts at rest in its static equilibrium" in note for note in done.document["notes"]
    )
    done = sim_command("run", "two_link", "--acf", "plant.acf", "--no-report")
    assert (done.status, "is for a deck" in done.err) == (2, True)
    (tmp_path / "plant.acf").write_text("SIM/DYN, END=200, DTOUT=50\n", encoding="utf-8")
    done = sim_command("run", "--from", "first", "--no-report", "--json")
    assert done.document["repeats"]["inputs"] == ["command file plant.acf: its text changed"]


@pytest.mark.parametrize("ending", KINDS)
def test_every_other_file_of_adams_is_named_with_what_to_do(sim_command, tmp_path, ending):
    (tmp_path / f"arm{ending}").write_bytes(b"")
    done = sim_command("run", f"arm{ending}")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "ADAMS" in done.err
    assert ".adm" in done.err
    assert "two_link" not in done.err


def test_a_command_file_names_its_deck(sim_command, tmp_path):
    (tmp_path / "last.acf").write_text(ARM, encoding="utf-8")
    assert "sim run arm.adm --acf last.acf takes END" in sim_command("run", "last.acf").err
    assert "ADAMS View" in sim_command("convert", "arm.cmd", "out").err


SLED = """two phases
UNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=METER,TIME=SECOND
PART/1,GROUND
MARKER/1,PART=1,REULER=90D,90D,0D
MARKER/9,PART=1,QP=-1,0,0
PART/2,MASS=2,CM=2,IP=1,1,1
MARKER/2,PART=2,REULER=90D,90D,0D
JOINT/1,TRANSLATIONAL,I=2,J=1
SFORCE/5,TRANSLATIONAL,I=2,J=1,ACTIONONLY,FUNCTION=4
SPRINGDAMPER/3,TRANSLATIONAL,I=2,J=9,K=50,C=0,LENGTH=1
REQUEST/1,F2=DZ(2,1,1)
END
"""
WHEEL = """a wheel
UNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=METER,TIME=SECOND
PART/1,GROUND
MARKER/1,PART=1
PART/2,MASS=1,CM=2,IP=0.1,0.1,0.2
MARKER/2,PART=2
JOINT/1,REVOLUTE,I=2,J=1
MOTION/1,JOINT=1,ROTATIONAL,FUNCTION=3*TIME
SFORCE/1,ROTATIONAL,I=2,J=1,FUNCTION=1-0.4*WZ(2,1,1)
REQUEST/1,F2=WZ(2,1)
END
"""
SPRING = "SPRINGDAMPER, ID=3"
RUN = "SIMULATE/DYNAMIC, DURATION=0.25, STEPS=25"


@pytest.mark.parametrize(
    ("deck", "commands", "end"),
    [
        (SLED, f"DEACTIVATE/{SPRING}\n{RUN}\n", 0.25**2),
        (SLED, f"DEACT/{SPRING};\nACTIVATE/{SPRING};\n{RUN};\n", 0.08 * (1 - math.cos(1.25))),
        (SLED, f"FILE/MODEL=a; DEACT/{SPRING}\n{RUN}; STOP\n", 0.25**2),
        (SLED, f"{RUN}\nACTIVATE/{SPRING}\n{RUN}\n", 0.08 * (1 - math.cos(2.5))),
        (
            SLED,
            f"DEACTIVATE/{SPRING}\n{RUN}\nACTIVATE/{SPRING}\n{RUN}\n",
            0.08 - 0.0175 * math.cos(1.25) + 0.1 * math.sin(1.25),
        ),
        (WHEEL, f"DEACTIVATE/MOTION, ID=1\n{RUN}\n", 2.5 * (1 - math.exp(-0.5))),
    ],
)
def test_what_is_inactive_before_a_simulation_does_not_act_in_it(tmp_path, deck, commands, end):
    """A wheel whose motion is inactive starts at rest, though the motion would start at 3 rad/s."""
    (tmp_path / "a.adm").write_text(deck)
    (tmp_path / "a.acf").write_text(commands)
    script = deck_script(tmp_path / "a.adm")
    settings = settings_of_commands(script, tmp_path / "a.acf")
    scenario, _ = script.build(settings)
    recording = sim.run(scenario)
    assert recording.passed
    assert recording.analytic["request.REQUEST_1.F2"].iloc[-1] == pytest.approx(end, abs=1e-10)


SENSED = SLED.replace("END", "SENSOR/7, GE, VALUE = 0.02, RETURN, FUNCTION = DZ(2,1,1)\nEND")
TO_TWO = "SIMULATE/DYNAMIC, END=2, DTOUT=0.01\n"
FIRST = math.acos(0.75) / 5  # s, when 0.08 (1 - cos 5t) m is first 0.02 m
AGAIN = 2 * math.pi / 5 + FIRST
RATE = 0.4 * math.sin(5 * FIRST)  # m/s, there


@pytest.mark.parametrize(
    ("commands", "end", "passed"),
    [
        (TO_TWO, FIRST, [FIRST]),
        (2 * TO_TWO, AGAIN, [FIRST, AGAIN]),
        (3 * TO_TWO, 2.0, [FIRST, AGAIN]),
        (f"{TO_TWO}DEACTIVATE/SENSOR, ID=7\n{TO_TWO}", 2.0, [FIRST, AGAIN]),
        (f"DEACT/SENSOR, ID=7\n{TO_TWO}ACT/SENSOR, ID=7\n{TO_TWO}", 2.0, [FIRST, AGAIN]),
        (f"SIM/DYN, END=0.1, DTOUT=0.01\n{TO_TWO}", FIRST, [FIRST]),
        (f"{TO_TWO}DEACT/SENSOR, ID=8\n{TO_TWO}", AGAIN, [FIRST, AGAIN]),
        (f"{TO_TWO}SIM/DYN, DUR=1, DTOUT=0.01\n", FIRST + 1, [FIRST]),
        (f"{TO_TWO}SIM/DYN, DUR=2, DTOUT=0.01\n", AGAIN, [FIRST, AGAIN]),
        (f"{TO_TWO}SIM/DYN, DUR=0.3\n{TO_TWO}", AGAIN, [FIRST, AGAIN]),
        (f"{TO_TWO}SIM/DYN, END=0.3\nSIM/DYN, DUR=0.3\n", 0.6, [FIRST]),
    ],
)
def test_a_simulation_goes_on_from_where_a_sensor_ended_the_one_before(
    tmp_path, commands, end, passed
):
    """Its SENSOR ends each simulation once; DURATION counts from there."""
    (tmp_path / "a.adm").write_text(SENSED)
    (tmp_path / "a.acf").write_text(commands)
    script = deck_script(tmp_path / "a.adm")
    settings = settings_of_commands(script, tmp_path / "a.acf")
    recording = sim.run(script.build(settings)[0])
    event, *_ = recording.run.conditions
    assert recording.passed
    assert [one.t for one in event.occurrences] == pytest.approx(passed, abs=1e-11)
    assert recording.t[-1] == pytest.approx(math.floor(100 * end + 1e-9) / 100)
    assert any("no SENSOR/8" in note for note in recording.run.notes) == ("=8" in commands)


@pytest.mark.parametrize(
    ("commands", "rates"),
    [
        (f"{TO_TWO}SIM/DYN, DUR=1\nSIM/DYN, DUR=0.1\n", [RATE, RATE]),
        (f"{TO_TWO}SIM/DYN, END=0.3\nSIM/DYN, DUR=0.3\n", [1.0, 1.0]),
    ],
)
def test_the_end_of_a_phase_is_as_accurate_as_the_event_from_which_it_counts(
    tmp_path, commands, rates
):
    """An event in between, or before an END, has no effect."""
    between = "SENSOR/8, GE, VALUE = 0.2, EVALUATE = TIME, FUNCTION = TIME\nEND"
    (tmp_path / "a.adm").write_text(SENSED.replace("END", between))
    (tmp_path / "a.acf").write_text(commands)
    script = deck_script(tmp_path / "a.adm")
    recording = sim.run(script.build(settings_of_commands(script, tmp_path / "a.acf"))[0])
    *_, ends = recording.run.conditions
    assert recording.passed
    assert [one.rate for one in ends.occurrences] == pytest.approx(rates, rel=1e-4)
    by_position = [float(rate == RATE) for rate in rates]
    assert [one.by_position for one in ends.occurrences] == pytest.approx(by_position, abs=1e-9)


@pytest.mark.parametrize("deck", [SLED, SENSED.replace("RETURN", "HALT")])
def test_only_a_sensor_that_returns_lets_two_simulations_have_one_end(tmp_path, deck):
    (tmp_path / "a.adm").write_text(deck)
    (tmp_path / "a.acf").write_text(2 * TO_TWO)
    with pytest.raises(DeckError, match=r"ends at 2, and begins at 2; .* only where a SENSOR"):
        settings_of_commands(deck_script(tmp_path / "a.adm"), tmp_path / "a.acf")


@pytest.mark.parametrize(
    ("value", "commands", "times"),
    [
        (0.02, f"{TO_TWO}DEACT/{SPRING}\nSIM/DYN, END=1\n", (FIRST, 1.0)),
        (0.02, f"{TO_TWO}DEACT/{SPRING}\nSIM/DYN, END=0.5\nACT/{SPRING}\nSIM/DYN, END=1\n",
         (FIRST, 0.5, 1.0)),
        (0.02, f"{TO_TWO}DEACT/{SPRING}\nSIM/DYN, DUR=0.5\nACT/{SPRING}\nSIM/DYN, END=1.5\n",
         (FIRST, FIRST + 0.5, 1.5)),
        (5.0, f"SIM/DYN, END=0.25, DTOUT=0.01\nDEACT/{SPRING}\nSIM/DYN, END=1\n", (0.25, 1.0)),
    ],
)  # fmt: skip
def test_a_simulation_that_follows_a_sensor_begins_with_its_switches(
    tmp_path, value, commands, times
):
    (tmp_path / "a.adm").write_text(SENSED.replace("VALUE = 0.02", f"VALUE = {value}"))
    (tmp_path / "a.acf").write_text(commands)
    script = deck_script(tmp_path / "a.adm")
    settings = settings_of_commands(script, tmp_path / "a.acf")
    recording = sim.run(script.build(settings)[0])
    x = v = begin = 0.0
    for end, spring_acts in zip(times, (True, False, True), strict=False):
        t, cos, sin = end - begin, math.cos(5 * (end - begin)), math.sin(5 * (end - begin))
        pulled = 0.08 + (x - 0.08) * cos + v / 5 * sin, v * cos - 5 * (x - 0.08) * sin
        (x, v), begin = pulled if spring_acts else (x + v * t + t * t, v + 2 * t), end
    assert recording.t[-1] == times[-1]
    assert recording.passed
    assert recording.recorded["request.REQUEST_1.F2"].iloc[-1] == pytest.approx(x, abs=1e-10)


def test_a_run_is_repeated_with_its_command_file(tmp_path):
    (tmp_path / "a.adm").write_text(SLED)
    (tmp_path / "a.acf").write_text(f"DEACT/{SPRING}\n{RUN}\n")
    script = deck_script(tmp_path / "a.adm")
    settings = {"acf": str(tmp_path / "a.acf"), "duration": script.parameters["duration"]}
    scenario, parameters = script.build(settings)
    again, _ = script.build(script.settings_of(parameters))
    assert [*map(repr, again.events)] == [*map(repr, scenario.events)] != []
    assert again.duration == scenario.duration == settings["duration"]
