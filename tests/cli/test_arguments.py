import pytest

from tests.helpers.command_scripts import write_swing


def rows_of(out, heading):
    """The lines of the table that has a heading."""
    lines = out.splitlines()
    begin = next(k for k, line in enumerate(lines) if heading in line) + 2
    return lines[begin : next(k for k in range(begin, len(lines)) if not lines[k].strip())]


def test_every_table_of_a_run_has_at_most_so_many_rows(sim_command, swing):
    for words in (("run", "swing.py", "--no-report", "--out", "a"), ("check", "a")):
        arguments = (*words, "--verbose")
        limited, whole = (sim_command(*arguments, *more).out for more in (("--limit", "2"), ()))
        for heading in ("torque error", "kinetic energy error", "closest to limit"):
            count = len(rows_of(whole, heading))
            assert len(rows_of(limited, heading)) == min(count, 2)
            assert (f"hidden rows (limit 2): {count - 2} of {count}" in limited) == (count > 2)
        assert "hidden rows" not in whole


def test_the_table_of_joints_has_at_most_so_many_rows(sim_command, swing):
    done = sim_command("run", "swing.py", "--no-report", "--out", "a", "--limit", "1")
    assert "shoulder" in done.out
    assert "hidden rows (limit 1): 1 of 2" in done.out


def test_a_comparison_has_as_many_rows_as_are_asked_for(sim_command, swing):
    sim_command("run", "swing.py", "--no-report", "--out", "a")
    for limit in (1, 12, 20):
        more = () if limit == 12 else ("--limit", str(limit))
        assert len(rows_of(sim_command("compare", "a", "a", *more).out, "largest")) == limit


@pytest.mark.parametrize("command", ["run", "check", "compare"])
@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "many", "", "٣"])
def test_a_limit_is_one_row_or_more(sim_command, tmp_path, command, limit):
    write_swing(tmp_path)
    done = sim_command(command, "swing.py", "--limit", limit)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"argument --limit: {limit!r} is not a whole number of rows, 1 or more" in done.err
