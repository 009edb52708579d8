"""The options of a study, which the command, `sim.sweep` and ``study.json`` share."""

import inspect

import msgspec
import pytest

import sim
from sim.cli import command, run_options, struct_options
from sim.studies.optimisation.goal_options import STUDY_OPTIONS, GoalOptions
from sim.studies.request import ExecutionOptions, FolderOptions, StudyRequest

OF_COMMAND = {"scenario", "no_require"}  # the exit status has no part in Python
OF_PYTHON = {"tell", "tick"}
NAMES = {"response": "responses", "to": "precision", "no_report": "page"}


def fields():
    structs = (StudyRequest, ExecutionOptions, FolderOptions)
    return {one.name: one for kind in structs for one in msgspec.structs.fields(kind)}


def test_the_command_and_python_have_each_option_with_the_same_default():
    parsed = vars(command.parser_of(["sweep"]).parse_args(["sweep"]))
    arguments = inspect.signature(sim.sweep).parameters
    options = {name: one for name, one in fields().items() if name not in OF_COMMAND}
    assert {*(NAMES.get(name, name) for name in options), "scenario", *OF_PYTHON} == {*arguments}
    for name, field in options.items():
        default = None if field.default is msgspec.NODEFAULT else field.default or None
        of_python = arguments[NAMES.get(name, name)].default
        assert (parsed[name] or None) == default
        assert ((not of_python if name == "no_report" else of_python) or None) == default


REQUEST = StudyRequest(
    scenario="swing.py",
    vary=("load=0:1:2", "duration=0.1,0.2"),
    settings={"dt": "0.01", "b": "x y"},
    method="ideal",
    dt=1e-2,
    samples=3,
    design="lhs",
    seed=4,
    tolerance=("mass=2%",),
    distribution="uniform",
    response=("peak tau.*",),
    largest="load=0:1",
    within="margin>=0.1",
    to=1e-16,
    keep="all",
    no_report=True,
    no_require=True,
    analytic=True,
    proof=2,
)


def test_the_command_of_a_request_is_read_as_the_same_request():
    words = REQUEST.command[1:]
    options = command.parser_of(words).parse_args(words)
    settings = run_options.parameters_of(options.settings)
    given = {"scenario": options.name, "settings": settings}
    assert struct_options.read_options(options, StudyRequest, **given) == REQUEST


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--samples", "0"), "--samples: '0' is not a whole number, 1 or more"),
        (("--seed", "1_0"), "--seed: '1_0' is not a whole number, 0 or more"),
        (("--keep", "al"), "--keep: 'al' is not a whole number, 0 or more, or all"),
        (("--to", "٣"), "--to: '٣' is not a number"),
        (("--distribution", "norm"), "did you mean 'normal'?"),
    ],
)
def test_an_option_of_another_type_is_refused_by_its_name(capsys, words, said):
    with pytest.raises(SystemExit) as leaving:
        command.parser_of(["sweep"]).parse_args(["sweep", "swing.py", *words])
    assert leaving.value.code == 2
    assert said in capsys.readouterr().err


def test_a_stored_request_has_its_fields_in_the_order_of_old_files():
    names = (
        "scenario vary settings method dt design samples seed tolerance distribution response "
        "largest smallest within to keep no_report no_require analytic proof"
    )
    stored = msgspec.json.encode(REQUEST)
    assert list(msgspec.json.decode(stored)) == names.split()
    assert msgspec.json.decode(stored, type=StudyRequest) == REQUEST


def test_the_command_of_an_optimisation_is_read_as_the_same_request():
    request = StudyRequest(
        scenario="swing.py", vary=("load=0:1", "n=1,2"), settings={"dt": "0.01"}, method="ideal",
        dt=0.01, seed=3, response=("energy",), analytic=True, no_require=True, no_report=True,
    )  # fmt: skip
    goals = GoalOptions(
        minimise=("energy",), maximise=("load",), subject_to=("checks",), algorithm="cobyqa",
        starts=3, evaluations=40, simulate=True,
    )  # fmt: skip
    words = goals.command(request)[1:]
    options = command.parser_of(words).parse_args(words)
    settings = run_options.parameters_of(options.settings)
    assert struct_options.read_options(options, GoalOptions) == goals
    read = struct_options.read_options(
        options, StudyRequest, scenario=options.name, settings=settings
    )
    assert read == request
    assert set(STUDY_OPTIONS) <= set(StudyRequest.__struct_fields__)
