import pytest

from sim.errors import ModelError
from sim.robots.materials import MATERIALS, density_of, describe_material, material

# As printed in Gere, Mechanics of Materials, 5th ed., table H-1 [kg/m³].
GERE = {
    "steel": 7850,
    "6061": 2700,
    "7075": 2800,
    "copper": 8900,
}


@pytest.mark.parametrize("name", GERE)
def test_densities_of_the_table_are_those_of_its_source(name):
    assert material(name).density == GERE[name]
    assert "Gere" in material(name).source


def test_composites_are_the_mixture_that_their_source_says():
    assert material("cfrp").density == pytest.approx(0.6 * 1760 + 0.4 * 1200, abs=5)
    assert material("gfrp").density == pytest.approx(0.5 * 2580 + 0.5 * 1200, abs=15)


def test_each_material_has_a_source_and_lies_within_its_range():
    names = [name for one in MATERIALS for name in (one.name, *one.others)]
    assert len(names) == len(set(names))
    for one in MATERIALS:
        assert one.least <= one.density <= one.most, one.name
        assert one.source, one.name
        assert one.name == one.name.lower(), one.name


def test_a_name_is_found_however_it_is_written():
    assert material("Stainless Steel") is material("stainless_steel") is material("304")
    assert density_of("7075") == 2800
    assert density_of("7075 kg/m³") == 7075
    assert density_of(" 1.2e3 ") == 1200
    assert describe_material("1850") == "1850 kg/m³, as given"
    assert describe_material("PLA").startswith("pla: 1240 kg/m³ (1210 to 1260), NatureWorks")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("alluminum", "there are aluminium, .*, water, or a density in kg/m³"),
        ("", "Material '' is not in the table"),
        ("-5", "Density -5 kg/m³ is unrealistic; at least 25 and at most 22600"),
        ("2.7", "2.7 g/cm³ are 2700"),
        ("inf", "must be a finite number"),
        (30_000.0, "at most 22600"),
        (None, "None is neither a number of kg/m³ nor a name of a material"),
    ],
)
def test_what_is_no_density_is_refused(given, message):
    with pytest.raises(ModelError, match=message):
        density_of(given)
