"""Templates are compiled once, and anew where they or Jinja change."""

import os

import jinja2
import pytest

from sim import disk_cache
from sim.reports.page.compiled_templates import CompiledTemplates


@pytest.fixture
def rendered(tmp_path, monkeypatch):
    """Renders a template as a new process does, and counts how often it is compiled."""
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "cache"))
    compiled = []

    def render(**values):
        environment = jinja2.Environment(loader=CompiledTemplates(tmp_path), autoescape=True)
        compile_ = environment.compile
        monkeypatch.setattr(
            environment, "compile", lambda *words: compiled.append(1) or compile_(*words)
        )
        return environment.get_template("t.html.j2").render(**values), len(compiled)

    return render


def test_a_second_process_compiles_nothing(tmp_path, rendered):
    (tmp_path / "t.html.j2").write_text("{{ x }}")
    assert rendered(x="<") == ("&lt;", 1)
    assert rendered(x=2) == ("2", 1)


def test_nothing_is_written_beside_a_template(tmp_path, rendered):
    """Python's rule for its own compiled files, PYTHONDONTWRITEBYTECODE, has no effect here."""
    (tmp_path / "t.html.j2").write_text("{{ x }}")
    rendered(x=1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cache", "t.html.j2"]


def test_a_change_is_seen_whatever_its_time_and_size(tmp_path, rendered):
    path = tmp_path / "t.html.j2"
    for text in ("a{{ x }}", "b{{ x }}"):
        path.write_text(text)
        os.utime(path, (1e9, 1e9))
        assert rendered(x=1)[0] == f"{text[0]}1"


def test_another_version_of_jinja_compiles_anew(tmp_path, rendered, monkeypatch):
    (tmp_path / "t.html.j2").write_text("{{ x }}")
    rendered(x=1)
    version_of = disk_cache.version_of
    monkeypatch.setattr(
        disk_cache, "version_of", lambda name: "9.9" if name == "jinja2" else version_of(name)
    )
    assert rendered(x=1) == ("1", 2)


def test_a_cache_that_cannot_be_written_serves_too(tmp_path, rendered):
    (tmp_path / "t.html.j2").write_text("{{ x }}")
    (tmp_path / "cache").touch()
    assert rendered(x=1) == ("1", 1)
    assert rendered(x=1) == ("1", 2)


def test_an_unknown_template_is_named(rendered):
    with pytest.raises(jinja2.TemplateNotFound, match=r"t\.html\.j2"):
        rendered()
