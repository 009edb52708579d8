import pytest

pytest.importorskip("sympy")


def test_two_joints_are_printed_in_eighty_columns(sim_command):
    done = sim_command("equations", "ur10", columns=80)
    assert (done.status, done.err) == (0, "")
    assert "M12 = I2xz*sin(q2) + I2yz*cos(q2)\n" in done.out
    assert "\nproved: M within " in done.out
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.rotates(2)
@pytest.mark.parametrize(
    ("name", "more", "has"),
    [
        ("eom.c", (), "void kr210_terms(const double q[2]"),
        ("eom.tex", (), r"\begin{align*}"),
        ("eom.txt", ("--c",), "#include <math.h>"),
        ("eom.txt", (), "M11 = "),
    ],
)
def test_a_file_has_the_format_that_is_meant(sim_command, tmp_path, name, more, has):
    for _ in range(2):  # what sim has written it may replace
        done = sim_command("equations", "kr210", "--out", name, *more)
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith(f"equations {name}, ")
        assert has in (tmp_path / name).read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("ur10", "--joints", "4"), "too long to read"),
        (("ur10", "--joints", "9"), "1 to 6 joints"),
        (("ur11",), "'ur11' does not ship"),
        (("ur10", "--out", "none/eom.c"), "none is not a folder"),
        (("ur10", "--latex", "--c"), "not allowed with argument"),
    ],
)
def test_what_cannot_be_is_one_line_and_status_2(sim_command, tmp_path, arguments, says):
    done = sim_command("equations", *arguments)
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_origin_stays(sim_command, tmp_path):
    (tmp_path / "mine.c").write_text("int main(void) { return 0; }\n")
    done = sim_command("equations", "ur10", "--out", "mine.c")
    assert done.status == 2
    assert "sim did not write it" in done.err
    assert "main" in (tmp_path / "mine.c").read_text()


def test_a_robot_of_one_joint_needs_no_option(sim_command, tmp_path):
    (tmp_path / "one.urdf").write_text(
        '<robot name="one"><link name="base"/><link name="rod"><inertial>'
        '<origin xyz="0.5 0 0"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="continuous">'
        '<parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>'
    )
    done = sim_command("equations", "one.urdf")
    assert (done.status, done.err) == (0, "")
    assert "\nM11 = I1zz\n" in done.out
    assert "I1zz = 0.6 kg·m²" in done.out  # 0.1 and 2 kg at 0.5 m
