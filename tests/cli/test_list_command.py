from sim.robots import shipped_robots
from sim.scenario.script import shipped_scenarios


def test_list_tells_every_scenario_with_its_parameters_and_every_robot(sim_command):
    done = sim_command("list")
    assert (done.status, done.err) == (0, "")
    for name in (*shipped_scenarios(), *shipped_robots()):
        assert name in done.out
    assert "payload=10.0, start=upright" in done.out


def test_list_as_json_is_one_document(sim_command):
    done = sim_command("list", "--json")
    assert done.out.count("\n") == 1
    scenarios = {s["name"]: s for s in done.document["scenarios"]}
    assert tuple(scenarios) == shipped_scenarios()
    assert scenarios["ur10_step"]["parameters"] == {"payload": 10.0, "start": "upright"}
    assert scenarios["two_link"]["title"].startswith("Two links")
    assert tuple(done.document["robots"]) == shipped_robots()
