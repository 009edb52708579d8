import pytest

from sim.errors import ForeignError
from sim.foreign.naming import Naming, naming_of, read_naming

FILE = """start = 13
sheet = "Data"
[channels]
"Motor 1" = "tau.elbow"
[units]
"Motor 1" = "N*mm"
"""


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "names.toml"
        path.write_text(text)
        return path

    return write


def test_a_file_says_the_same_as_options(file):
    said = naming_of(["Motor 1=tau.elbow"], ["Motor 1=N*mm"], None, 13.0, "Data")
    assert read_naming(file(FILE)) == said == naming_of(file=file(FILE))


def test_an_option_counts_before_the_file(file):
    said = naming_of(["Motor 1=-tau.wrist"], ["x=deg"], file(FILE), 0.0)
    assert said.channels == {"Motor 1": "-tau.wrist"}
    assert said.units == {"Motor 1": "N*mm", "x": "deg"}
    assert (said.start, said.sheet) == (0.0, "Data")


def test_a_title_may_hold_an_equals_sign():
    assert naming_of(["a=b=q.x"]).channels == {"a=b": "q.x"}


@pytest.mark.parametrize("text", ["", "a", "=q.x", "a=", " = "])
def test_an_option_of_another_form_is_refused(text):
    with pytest.raises(ForeignError, match="--map takes theirs=ours"):
        naming_of([text])
    with pytest.raises(ForeignError, match="--unit takes theirs=unit"):
        naming_of(units=[text])


def test_a_column_is_named_once():
    with pytest.raises(ForeignError, match=r"'a' twice: 'q.x' and 'q.y'"):
        naming_of(["a=q.x", "a=q.y"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[channels", "is not TOML"),
        ("[chanels]\n", "has 'chanels'; a mapping file has"),
        ("channels = 3\n", "a mapping file has"),
        ("[channels]\nmotor.one = 'tau.x'\n", "write names with a dot in quotes"),
        ("[units]\na = 3\n", "a mapping file has"),
        ("start = 'soon'\n", "start must be a number"),
        ("start = true\n", "start must be a number"),
        ("start = nan\n", "start must be a finite number"),
        ("sheet = 1\n", "sheet must be a name"),
    ],
)
def test_a_file_of_another_form_is_refused_in_one_line(file, text, words):
    with pytest.raises(ForeignError, match=words) as caught:
        read_naming(file(text))
    assert "\n" not in str(caught.value)


def test_start_is_a_finite_number():
    with pytest.raises(ForeignError, match="finite"):
        Naming(start=float("inf"))
