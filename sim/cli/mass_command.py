"""`sim mass`: masses of a robot's links from their shapes, compared with those of its URDF."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag, add_json, add_repeated, add_robot
from sim.cli.exit_status import WANTING, WELL
from sim.cli.repairs import say_repairs
from sim.cli.robot_options import add_meshes_option, add_reading_options, load_robot_from

if TYPE_CHECKING:
    from pathlib import Path

    from sim.reports.terminal.tables import FittedTable
    from sim.robots import Robot
    from sim.shapes.link_masses import LinkMass

UNTOLD, ALIKE = 1000.0, 5e-3  # [kg/m³]: CAD default of a part without material; its tolerance
NO_SHAPE = "no link of robot {!r} has a visual or collision shape"
SMALLEST_SCALE = 1e-6  # of a mesh: a micrometre per unit
LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Print the volume of each link's shapes, the density implied by its URDF mass, and the "
        "distance between both mass centres. With a material: compute masses, mass centres and "
        "inertia tensors from the shapes and write them to a URDF. Exit status 1 if a mesh has no "
        "mass properties."
    )
    add_robot(command)
    add_repeated(
        command,
        "--material",
        "[LINK=]NAME",
        "material such as aluminium, or density [kg/m³], of one link or of all others; repeatable",
    )
    command.add_argument(
        "--shell",
        metavar="LENGTH",
        help="treat meshes as shells of this thickness, such as 3mm (default: solid)",
    )
    command.add_argument(
        "--mesh-scale",
        metavar="S",
        help="scale of all meshes, such as 0.001 for millimetres (default: scale of the URDF)",
    )
    command.add_argument(
        "--out", metavar="OUT.urdf", help="write a URDF with the missing masses added"
    )
    add_flag(command, "--replace", "with --out: replace existing masses too")
    add_reading_options(command)
    add_meshes_option(command)
    add_json(command)
    command.set_defaults(action=weigh_robot)


def weigh_robot(options: argparse.Namespace) -> int:
    """Print the masses, and write the URDF; return status 1 if a mesh has a fault."""
    from dataclasses import replace

    from sim.cli.output import console, place_of, print_json
    from sim.recording.files.named_file import write_named
    from sim.robots.materials import density_of
    from sim.robots.translated_robot import NO_SUCH_SHAPE
    from sim.shapes import with_mesh_scale
    from sim.shapes.link_masses import link_masses

    out = place_of(options.out, ".urdf")
    robot = load_robot_from(options, options.robot, with_repairs=False)
    say_repairs(one for one in robot.repairs if one.taken == NO_SUCH_SHAPE)
    if options.mesh_scale is not None:
        robot = replace(robot, text=with_mesh_scale(robot.text, _scale(options.mesh_scale)))
    of_all, of_links = _materials(options.material)
    if of_all is not None:
        density_of(of_all)  # raise here for an unknown one, even where no link has a shape
    _require_sense(options, robot, of_all, of_links)
    thickness = None if options.shell is None else metres(options.shell)
    materials = _by_link(robot, of_all, of_links)
    densities = {link: density_of(name) for link, name in materials.items()}
    masses = link_masses(robot, densities, thickness)
    weighed = [one for one in masses if _is_written(one, materials, options)]
    if out is not None:
        write_named(out, _text(robot, weighed, materials, out), ".urdf")
    if options.json:
        print_json(_document(masses, materials, weighed))
    else:
        terminal = console()
        if not masses:
            terminal.print(NO_SHAPE.format(robot.name), highlight=False, markup=False)
            return WELL
        terminal.print(_table(masses, materials, weighed), crop=False)
        for line in _lines(masses, materials, weighed, out):
            terminal.print(line, highlight=False, markup=False, soft_wrap=True)
    return WANTING if any(one.fault for one in masses) else WELL


def metres(text: str) -> float:
    """Return a length in metres from a text with unit: 3mm, 0.3cm, 0.003m.

    Raises
    ------
    ModelError
        If the text is not a length, or not above 0.
    """
    from sim.cli.arguments import number
    from sim.errors import ModelError

    plain = text.strip()
    unit = next((unit for unit in LENGTHS if plain.endswith(unit)), None)
    try:
        value = number(plain.removesuffix(unit or "").strip()) if unit else 0.0
    except argparse.ArgumentTypeError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ModelError(
            f"--shell {text!r} must be a positive thickness with its unit, such as 3mm or 0.003m"
        )
    return value * LENGTHS[unit or "m"]


def _scale(text: str) -> float:
    """Return the factor of ``--mesh-scale``.

    Raises
    ------
    ModelError
        If it is not a positive number.
    """
    from sim.cli.arguments import number
    from sim.errors import ModelError

    try:
        value = number(text)
    except argparse.ArgumentTypeError:
        value = 0.0
    if not SMALLEST_SCALE <= value <= 1 / SMALLEST_SCALE:
        raise ModelError(
            f"--mesh-scale {text!r} is not a number from {SMALLEST_SCALE:g} to "
            f"{1 / SMALLEST_SCALE:g}; meshes in millimetres have 0.001, in inches 0.0254"
        )
    return value


def _materials(words: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """Return the material of all links, and those of single links by name."""
    from sim.errors import ModelError

    of_all: str | None = None
    of_links: dict[str, str] = {}
    for word in words:
        link, equals, name = word.rpartition("=")
        if not equals and of_all is not None:
            raise ModelError(
                f"--material {of_all} and {name}: only one material applies to all links"
            )
        if link in of_links:
            raise ModelError(f"--material of link {link!r} is given twice")
        if equals:
            of_links[link] = name
        else:
            of_all = name
    return of_all, of_links


def _require_sense(
    options: argparse.Namespace, robot: Robot, of_all: str | None, of_links: Mapping[str, str]
) -> None:
    """Refuse options that lack others, and replacement of published masses."""
    from sim import shipped
    from sim.errors import ModelError

    if of_all is None and not of_links:
        for option in ("shell", "out", "replace"):
            if getattr(options, option):
                raise ModelError(f"--{option} requires --material, such as --material aluminium")
    if options.replace and options.out is None:
        raise ModelError("--replace requires --out OUT.urdf: the input file is never changed")
    is_shipped = robot.folder is not None and robot.folder.resolve() == shipped.urdf().resolve()
    if options.replace and is_shipped:
        raise ModelError(
            f"--replace: the masses of {robot.name!r} are published, with a source in its card; "
            "they are compared, not replaced"
        )


def _by_link(robot: Robot, of_all: str | None, of_links: Mapping[str, str]) -> dict[str, str]:
    """Return the material of each link that has one; a common one only for links with shapes."""
    from sim.shapes.link_masses import shapes_by_link

    links = {} if of_all is None else dict.fromkeys(shapes_by_link(robot), of_all)
    return {**links, **of_links}


def _is_written(one: LinkMass, materials: Mapping[str, str], options: argparse.Namespace) -> bool:
    """Whether the link gets its mass from its shapes in the written file."""
    has_material = options.out is not None and one.link in materials
    return has_material and (one.in_urdf is None or bool(options.replace))


def _text(
    robot: Robot, weighed: Sequence[LinkMass], materials: Mapping[str, str], out: Path
) -> bytes:
    """Return the URDF with a mass for every link that is to get one."""
    from sim.cli.doctor.installed import own_version
    from sim.errors import ModelError
    from sim.recording.files.named_file import MARK
    from sim.shapes.weighed_urdf import weighed_urdf

    for one in weighed:
        if one.fault:
            raise ModelError(f"{out} is not written: {one.fault}")
    if not materials:
        raise ModelError(f"{out} is not written: {NO_SHAPE.format(robot.name)}")
    if not weighed:
        raise ModelError(
            f"{out} is not written: every link with a shape and a material already has a mass; "
            "--replace replaces existing masses"
        )
    by = f"{MARK.decode()} {own_version()}"
    return weighed_urdf(robot, weighed, materials, out, by).encode("utf-8")


def _table(
    masses: Sequence[LinkMass], materials: Mapping[str, str], from_shapes: Sequence[LinkMass]
) -> FittedTable:
    from sim.audit.against_shapes import DENSE, THIN
    from sim.reports.terminal.tables import FittedTable, number

    weighed = ("material", "by shapes\n[kg]") if materials else ()
    headings = (
        "link", "volume\n[l]", "overlap\n[%]", *weighed, "URDF\n[kg]", "implied\n[kg/m³]",
        "centre\noffset\n[mm]", "",
    )  # fmt: skip
    last = headings[-1]
    table = FittedTable(
        headings, ("overlap\n[%]", "centre\noffset\n[mm]"), left=(*weighed[:1], last), prose=()
    )
    for one in masses:
        solid, offset = one.by_shapes, one.centres_apart
        material = materials.get(one.link)
        cells = [
            one.link,
            "–" if solid is None else number(1000 * solid.volume),
            "–" if solid is None else f"{100 * solid.counted_twice / solid.volume:.1f}",
        ]
        if materials:
            cells += [material or "–", number(solid.mass) if material and solid else "–"]
        density = one.implied_density
        doubt = "" if density is None or THIN <= density <= DENSE else "density?"
        cells += [
            "–" if one.in_urdf is None else number(one.in_urdf.mass),
            "–" if density is None else f"{density:.0f}",
            "–" if offset is None else f"{1000 * offset:.0f}",
            "fault" if one.fault else "written" if one in from_shapes else doubt,
        ]
        table.add_row(*cells, style="red" if one.fault else "yellow" if doubt else None)
    return table


def _lines(
    masses: Sequence[LinkMass],
    materials: Mapping[str, str],
    weighed: Sequence[LinkMass],
    out: Path | None,
) -> list[str]:
    """Return the lines below the table: faults, materials with their sources, sums, file."""
    from sim.robots.materials import describe_material

    lines = [f"fault    {one.fault}" for one in masses if one.fault]
    lines += [f"material {describe_material(name)}" for name in dict.fromkeys(materials.values())]
    excess = max((one.by_shapes.excess for one in masses if one.by_shapes), default=0.0)
    if excess > 0:
        lines.append(
            f"shell    mass is placed on the outer surface: up to {100 * excess:.1f} % too heavy"
        )
    implied = [one.implied_density for one in masses if one.implied_density is not None]
    if implied and all(abs(density / UNTOLD - 1) < ALIKE for density in implied):
        lines.append(
            f"implied  {UNTOLD:g} kg/m³ everywhere: the default of CAD programs without a material"
        )
    if out is not None:
        n_kept = len(masses) - len(weighed)
        lines.append(
            f"written  {out}: masses from shapes {len(weighed)}, kept {n_kept}; next: sim audit"
        )
    return lines


def _document(
    masses: Sequence[LinkMass], materials: Mapping[str, str], weighed: Sequence[LinkMass]
) -> dict[str, object]:
    """Return the masses as plain values, for JSON; no mass for links without a material."""
    return {
        "links": [
            {
                "link": one.link,
                "material": materials.get(one.link),
                "fault": one.fault or None,
                "written": one in weighed,
                "by_shapes": _values(one, weighed=one.link in materials),
                "urdf_mass": None if one.in_urdf is None else one.in_urdf.mass,
                "implied_density": one.implied_density,
                "centres_apart": one.centres_apart,
            }
            for one in masses
        ]
    }


def _values(one: LinkMass, *, weighed: bool) -> dict[str, object] | None:
    if (solid := one.by_shapes) is None:
        return None
    geometry = {
        "volume": solid.volume,
        "area": solid.area,
        "bodies": solid.bodies,
        "counted_twice": solid.counted_twice,
        "com": solid.com.tolist(),
    }
    if not weighed:
        return geometry
    return geometry | {
        "mass": solid.mass,
        "tensor": solid.tensor.tolist(),
        "density": solid.density,
        "thickness": solid.thickness,
        "excess": solid.excess,
    }
