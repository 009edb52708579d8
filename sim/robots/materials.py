"""Densities of common robot materials, each with its source and its range.

These are typical values, not those of a particular part, whose density depends on alloy, filler
and, for prints, pores and infill. The range covers the named alloys or makers' grades. Usual
values, not checked in the source itself: grey iron, cast aluminium, magnesium, titanium, lead,
tungsten, E glass, ABS, PETG, POM, PC and water.
"""

from __future__ import annotations

import difflib
import math

from msgspec import Struct

from sim.errors import ModelError

STEEL = 7850.0  # [kg/m³]
LIGHTEST, DENSEST = 25.0, 22_600.0  # [kg/m³]: foam, and osmium


class Material(Struct, frozen=True):
    """One material.

    Parameters
    ----------
    name : str
    density : float
        [kg/m³]
    least, most : float
        Range of densities sold under this name [kg/m³].
    source : str
        Publication with the density.
    others : tuple of str
        Other names for it.
    """

    name: str
    density: float
    least: float
    most: float
    source: str
    others: tuple[str, ...] = ()


_GERE = "Gere, Mechanics of Materials, 5th ed., table H-1"
_ASM = "ASM Handbook, volume 2"

MATERIALS: tuple[Material, ...] = (
    Material("steel", STEEL, 7700, 8030, _GERE + "; EN 1993-1-1, 3.2.6", ("carbon-steel", "s235")),
    Material("stainless", 7900, 7700, 8000, "makers of 1.4301 (304), EN 10088-3",
             ("304", "stainless-steel")),
    Material("aluminium", 2700, 2640, 2810, _GERE + ", 6061-T6", ("aluminum", "6061", "alu", "al")),
    Material("aluminium-7075", 2800, 2780, 2830, _GERE + ", 7075-T6", ("7075", "aluminum-7075")),
    Material("aluminium-cast", 2650, 2640, 2760, "makers of EN AC-43000 (AlSi10Mg)", ("alsi10mg",)),
    Material("cast-iron", 7200, 7000, 7400, "EN 1561, EN-GJL-250; range: " + _GERE, ("grey-iron",)),
    Material("ductile-iron", 7100, 7000, 7200, "EN 1563, EN-GJS-400 to 500", ("nodular-iron",)),
    Material("titanium", 4430, 4400, 4510, _ASM + ", Ti-6Al-4V", ("ti-6al-4v",)),
    Material("magnesium", 1810, 1760, 1830, _ASM + ", AZ91D; range: " + _GERE, ("az91",)),
    Material("brass", 8500, 8400, 8600, _GERE, ("messing",)),
    Material("bronze", 8500, 8200, 8800, _GERE),
    Material("copper", 8900, 8890, 8960, _GERE),
    Material("lead", 11_340, 11_300, 11_350, "CRC Handbook of Chemistry and Physics"),
    Material("tungsten", 19_300, 17_000, 19_300, "CRC Handbook; range: heavy alloys, ASTM B777"),
    Material("cfrp", 1540, 1500, 1600, "0.6 of fibre at 1760 (Toray T300) and 0.4 of epoxy at 1200",
             ("carbon", "carbon-fibre")),
    Material("gfrp", 1900, 1700, 2100, "0.5 of E glass at 2580 and 0.5 of epoxy at 1200",
             ("glass-fibre", "fibreglass")),
    Material("abs", 1040, 1020, 1080, "Stratasys ABS-M30, ASTM D792, printed solid"),
    Material("pla", 1240, 1210, 1260, "NatureWorks Ingeo 4043D, ASTM D792, printed solid"),
    Material("petg", 1270, 1230, 1290, "Eastman Eastar 6763, ASTM D792, printed solid"),
    Material("pa12", 930, 880, 1010, "EOS PA 2200, laser sintered; moulded 1010",
             ("nylon", "pa2200")),
    Material("pom", 1410, 1390, 1430, "Celanese Hostaform C 9021, ISO 1183", ("delrin", "acetal")),
    Material("pc", 1200, 1190, 1220, "Covestro Makrolon 2405, ISO 1183", ("polycarbonate",)),
    Material("rubber", 1100, 960, 1300, "middle of the range in " + _GERE),
    Material("water", 998.2, 990, 1000, "IAPWS-95, 20 °C, 1013 hPa"),
)  # fmt: skip

_BY_NAME = {name: one for one in MATERIALS for name in (one.name, *one.others)}


def material(name: str) -> Material:
    """Return the material of a name, ignoring case and blanks.

    Raises
    ------
    ModelError
        If there is none; the message lists all, with the most similar name first.
    """
    plain = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    if plain in _BY_NAME:
        return _BY_NAME[plain]
    near = [_BY_NAME[close].name for close in difflib.get_close_matches(plain, _BY_NAME, 3, 0.5)]
    names = dict.fromkeys([*near, *(one.name for one in MATERIALS)])
    raise ModelError(
        f"Material {name!r} is not in the table; there are {', '.join(names)}, or a density in "
        "kg/m³"
    )


def density_of(value: float | str) -> float:
    """Return a density [kg/m³], from the name of a material or a number.

    Raises
    ------
    ModelError
        If there is no such material, or the density is unrealistic.
    """
    if isinstance(value, str):
        if (number := _number(value)) is None:
            return material(value).density
        value = number
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ModelError(
            f"Density {value!r} is neither a number of kg/m³ nor a name of a material"
        ) from None
    if LIGHTEST <= value <= DENSEST:
        return value
    hint = f"; {value:g} g/cm³ are {1000 * value:g}" if 1 <= value < LIGHTEST else ""
    raise ModelError(
        f"Density {value:g} kg/m³ is unrealistic; at least {LIGHTEST:g} and at most "
        f"{DENSEST:g} are allowed{hint}"
        if math.isfinite(value)
        else f"Density {value} kg/m³ must be a finite number"
    )


def describe_material(name: str) -> str:
    """Describe a material or a density in one line: density, range and source."""
    if _number(name) is not None:
        return f"{density_of(name):g} kg/m³, as given"
    one = material(name)
    return f"{one.name}: {one.density:g} kg/m³ ({one.least:g} to {one.most:g}), {one.source}"


def _number(text: str) -> float | None:
    """Return the number in a text such as 7850, 7.85e3 or 7850kg/m³; None for a name.

    Grades are names: 6061 and 304 are in the table.
    """
    plain = text.strip().lower().removesuffix("kg/m³").removesuffix("kg/m3").strip()
    if text.strip().lower() in _BY_NAME:
        return None
    try:
        return float(plain) if plain.isascii() and "_" not in plain else None
    except ValueError:
        return None
