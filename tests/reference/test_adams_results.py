import numpy as np
import pytest

from sim.errors import RecordingError
from sim.recording import unit_of
from sim.reference import adams_results as adams
from sim.reference.adams_results import QUANTITIES, adams_reference, note_on, read_case
from sim.reference.limits import SourceError
from tests.helpers.adams_files import COLUMNS, TIMES, swing, write_case

CASE = "Revolute_Case01"
PEER = dict.fromkeys(COLUMNS, 1e-2)

OURS = {
    "Pos": ["tool.x", "tool.y", "tool.z"],
    "Quat": ["tool.qw", "tool.qx", "tool.qy", "tool.qz"],
    "Vel": ["tool.vx", "tool.vy", "tool.vz"],
    "Avel": ["tool.wx", "tool.wy", "tool.wz"],
    "Acc": ["tool.ax", "tool.ay", "tool.az"],
    "Aacc": ["tool.wdx", "tool.wdy", "tool.wdz"],
    "Rforce": ["measure.joint.fx", "measure.joint.fy", "measure.joint.fz"],
    "Rtorque": ["measure.joint.mx", "measure.joint.my", "measure.joint.mz"],
}

# Of the issue, and what they are in.
TOLERANCES = {
    "Pos": (2e-5, "m"),
    "Quat": (2e-5, "1"),
    "Vel": (2e-5, "m/s"),
    "Avel": (2e-5, "rad/s"),
    "Acc": (2e-3, "m/s²"),
    "Aacc": (2e-3, "rad/s²"),
    "Rforce": (2e-3, "N"),
    "Rtorque": (3e-3, "N·m"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("SIM_ADAMS_DATA", raising=False)
    return write_case(tmp_path / "data", CASE, swing())


def test_the_files_of_a_case_become_a_table_of_our_channels(folder):
    table = read_case(folder, CASE)
    assert list(table.columns) == [channel for name in COLUMNS for channel in OURS[name]]
    assert table.index.name == "t"
    np.testing.assert_array_equal(table.index, TIMES)
    for name, values in swing().items():
        # printed with six digits
        np.testing.assert_allclose(table[OURS[name]].T, values, rtol=5.01e-6, atol=0)


def test_the_files_may_be_in_folders_of_the_folder(folder, tmp_path):
    plain = read_case(folder, CASE)
    (tmp_path / "chrono" / "adams_models").mkdir(parents=True)
    folder.rename(tmp_path / "chrono" / "revolute_joint")
    deck = f"test_{CASE}.adm"
    (tmp_path / "chrono" / "revolute_joint" / deck).rename(
        tmp_path / "chrono" / "adams_models" / deck
    )
    assert read_case(tmp_path / "chrono", CASE).equals(plain)


@pytest.mark.parametrize("name", COLUMNS)
def test_each_channel_has_the_tolerance_and_the_unit_of_its_quantity(folder, name):
    tolerance, unit = TOLERANCES[name]
    quantity = next(quantity for quantity in QUANTITIES if quantity.name == name)
    assert quantity.tolerance == tolerance
    reference = adams_reference(CASE, str(folder), {**PEER, name: 0.123})
    for channel in OURS[name]:
        assert unit_of(channel) == unit
        matching = [pattern for pattern in reference.tolerances if fits(channel, pattern)]
        assert matching == [quantity.pattern]
        assert reference.tolerances[matching[0]] == tolerance
        assert reference.peer_tolerances[matching[0]] == 0.123


def fits(channel, pattern):
    from fnmatch import fnmatchcase

    return fnmatchcase(channel, pattern)


def test_the_numbers_count_as_printed_with_six_digits_for_the_seventh_is_always_zero(folder):
    for name in COLUMNS:
        rows = (folder / f"{CASE}_ADAMS_{name}.txt").read_text("utf-8").split("\n")[3:-1]
        assert {word.partition("E")[0][-1] for row in rows for word in row.split("\t")} == {"0"}
        assert {len(word.partition("E")[0]) for row in rows for word in row.split("\t")} == {9}
    assert adams_reference(CASE, str(folder), PEER).digits == 6


def test_without_a_folder_there_is_no_reference_and_the_note_says_so(folder):
    assert adams_reference(CASE, "", PEER) is None
    assert note_on(None).startswith("no ADAMS data given")
    assert "the high-precision solution" in note_on(None)


def test_the_folder_may_come_from_the_environment_but_the_one_given_counts(folder, monkeypatch):
    monkeypatch.setenv("SIM_ADAMS_DATA", str(folder))
    reference = adams_reference(CASE, "", PEER)
    assert reference.source == f"ADAMS, {CASE} in {folder}"
    assert note_on(reference) == f"compared with ADAMS, {CASE} in {folder}"
    with pytest.raises(RecordingError, match=r"elsewhere does not exist"):
        adams_reference(CASE, str(folder / "elsewhere"), PEER)


def test_a_folder_of_the_home_folder_is_found(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder.parent))
    assert adams_reference(CASE, f"~/{folder.name}", PEER) is not None


# What ADAMS is off by itself


@pytest.mark.parametrize("case", ["Spherical_Case01", "Universal_Case01"])
def test_cases_that_adams_itself_misses_say_by_how_much_and_why(case, tmp_path):
    reference = adams_reference(case, str(write_case(tmp_path / case, case, swing())), PEER)
    assert reference.own.errors["tool.[xyz]"] == 8.5e-4  # 8.4e-4 m between ADAMS's own two files
    assert reference.own.errors["measure.joint.f?"] == 1.3e-2  # 1.28e-2 N
    assert "that of Revolute_Case01" in reference.own.reason
    assert "error of the source up to 0.00085 in tool.[xyz], " in note_on(reference)
    assert reference.own.reason in note_on(reference)


def test_another_case_has_no_error_of_its_own_but_for_one_that_is_given(folder):
    assert adams_reference(CASE, str(folder), PEER).own is None
    own = SourceError({"Vel": 1e-3}, "it is known")
    given = adams_reference(CASE, str(folder), PEER, own).own
    assert (dict(given.errors), given.reason) == ({"tool.v?": 1e-3}, "it is known")


def test_a_quantity_that_adams_does_not_print_is_refused(folder):
    said = "ADAMS has no quantity 'Jerk'; quantities: Pos, Quat, Vel, Avel, Acc, Aacc, Rforce, "
    with pytest.raises(RecordingError, match=said):
        adams_reference(CASE, str(folder), PEER | {"Jerk": 1.0})
    with pytest.raises(RecordingError, match=said):
        adams_reference(CASE, str(folder), PEER, SourceError({"Jerk": 1.0}, "it is known"))


def test_a_quantity_that_the_peer_has_no_tolerance_for_is_refused(folder):
    some = {name: 1e-2 for name in COLUMNS if name != "Acc"}
    with pytest.raises(RecordingError, match=r"no tolerance for channel 'tool\.ax'"):
        adams_reference(CASE, str(folder), some)


# What is refused


def refused(folder):
    with pytest.raises(RecordingError) as caught:
        read_case(folder, CASE)
    return str(caught.value)


@pytest.mark.parametrize(
    "name", [f"test_{CASE}.adm", *(f"{CASE}_ADAMS_{name}.txt" for name in COLUMNS)]
)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert refused(folder) == f"ADAMS file {name} is neither in {folder} nor in its subfolders"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("METER", "MILLIMETER", "UNITS/ must have LENGTH = METER, has MILLIMETER"),
        (", MASS = KILOGRAM\n", "", "UNITS/ must have MASS = KILOGRAM, has none"),
        ("UNITS/", "PLOTS/", "UNITS/ must have FORCE = NEWTON, has none"),
    ],
)
def test_a_deck_in_other_units_is_refused(folder, before, after, said):
    deck = folder / f"test_{CASE}.adm"
    text = deck.read_text("utf-8")
    assert before in text
    deck.write_text(text.replace(before, after), "utf-8")
    assert refused(folder) == f"{deck}: {said}"


def test_units_on_one_line_and_in_lower_case_are_read(folder):
    deck = folder / f"test_{CASE}.adm"
    deck.write_text("units/force=newton, mass=kilogram, length=meter, time=second\n", "utf-8")
    assert len(read_case(folder, CASE)) == TIMES.size


def changed(folder, quantity, line, words):
    """The file with the words of one line changed by a function."""
    path = folder / f"{CASE}_ADAMS_{quantity}.txt"
    lines = path.read_text("utf-8").split("\n")
    lines[line - 1] = "\t".join(words(lines[line - 1].split("\t")))
    path.write_text("\n".join(lines), "utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (lambda words: words[:-1], "Time, X_Vel, Y_Vel"),
        (lambda words: [words[0], words[2], words[1], words[3]], "Time, Y_Vel, X_Vel, Z_Vel"),
        (lambda words: ["Time", "X_Pos", "Y_Pos", "Z_Pos"], "Time, X_Pos, Y_Pos, Z_Pos"),
    ],
)
def test_other_columns_are_refused(folder, words, found):
    path = changed(folder, "Vel", 3, words)
    said = f"{path}, line 3: the columns must be Time, X_Vel, Y_Vel, Z_Vel; found {found}"
    assert refused(folder) == said


@pytest.mark.parametrize(
    "words",
    [
        lambda words: [*words[:2], "NaN", words[3]],
        lambda words: [*words[:2], "1e999", words[3]],
        lambda words: [*words[:2], "", words[3]],
        lambda words: [*words[:2], "one", words[3]],
        lambda words: words[:3],
        lambda words: [*words, "1"],
        lambda words: [],
    ],
    ids=["nan", "infinite", "empty", "word", "short", "long", "blank"],
)
def test_what_is_no_row_of_finite_numbers_is_refused_by_its_line(folder, words):
    path = changed(folder, "Rforce", 17, words)
    assert refused(folder).startswith(
        f"{path}, line 17: must be 4 finite numbers separated by tabs, found "
    )


@pytest.mark.parametrize("time", ["+9.000000E-02", "+1.000000E-01", "-1.000000E+00"])
def test_times_that_do_not_ascend_are_refused_by_their_line(folder, time):
    path = changed(folder, "Quat", 15, lambda words: [time, *words[1:]])  # 0.11 s
    assert refused(folder).startswith(f"{path}, line 15: the times must ascend, ")


def test_files_with_different_times_are_refused(folder):
    path = changed(folder, "Acc", 15, lambda words: ["+1.100010E-01", *words[1:]])
    assert refused(folder) == f"{path} has different times than Pos of {CASE}"


@pytest.mark.parametrize("keep", [0, 2, 3, 4])
def test_a_file_that_ends_early_is_refused(folder, keep):
    path = folder / f"{CASE}_ADAMS_Pos.txt"
    path.write_text("\n".join(path.read_text("utf-8").split("\n")[:keep]), "utf-8")
    said = "found none" if keep < 3 else "must have two or more samples"
    assert said in refused(folder)
    assert str(path) in refused(folder)


def test_a_folder_in_the_place_of_a_file_is_refused(folder):
    path = folder / f"{CASE}_ADAMS_Pos.txt"
    path.unlink()
    path.mkdir()
    assert "ADAMS file Revolute_Case01_ADAMS_Pos.txt is neither in" in refused(folder)


def test_a_file_that_cannot_be_read_is_refused(folder, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(adams.Path, "read_text", forbidden)
    assert refused(folder) == f"{folder / f'test_{CASE}.adm'} cannot be read: Permission denied"
