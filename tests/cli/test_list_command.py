import pytest

from sim.robots import shipped_robots
from sim.scenario import load_script
from sim.shipped import scenario_names


def test_list_tells_every_scenario_with_its_parameters_and_every_robot(sim_command):
    done = sim_command("list")
    assert (done.status, done.err) == (0, "")
    for name in (*scenario_names(), *shipped_robots()):
        assert name in done.out
    assert "payload=10.0, start=upright" in done.out


def test_list_as_json_is_one_document(sim_command):
    done = sim_command("list", "--json")
    assert done.out.count("\n") == 1
    scenarios = {s["name"]: s for s in done.document["scenarios"]}
    assert tuple(scenarios) == scenario_names()
    assert scenarios["ur10_step"]["parameters"] == {"payload": 10.0, "start": "upright"}
    assert scenarios["two_link"]["title"].startswith("Two links")
    assert tuple(done.document["robots"]) == shipped_robots()


@pytest.mark.parametrize("width", [80, 100, 120])
def test_list_fits_the_terminal_and_breaks_titles_between_words(sim_command, width):
    out = sim_command("list", columns=width).out
    assert max(map(len, out.splitlines())) <= width
    words = out.split()
    for name in scenario_names():
        assert name in words
        script = load_script(name)
        assert [word for word in script.title.split() if word not in words] == []
        for parameter, value in script.parameters.items():
            last = f"{parameter}={value}".split()[-1]
            assert last in words or f"{last}," in words
