"""`sim convert`: a robot file in another format, or an ADAMS deck as a URDF and a script."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.cli.arguments import add_flag, add_json
from sim.cli.exit_status import WANTING, WELL
from sim.cli.robot_options import add_reading_options, xacro_values
from sim.errors import ModelError, ScenarioError


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Write a robot file in another format: URDF, MJCF (.xml), SDF or ADAMS (.adm). A "
        "certificate next to the file (OUT.certificate.html and .json) lists what the format "
        "cannot state and compares the torques of the written file, as other programs read it, "
        "with those of the original. Exit status 1 if the torques of a deciding program differ. "
        "With a folder as OUT: convert an ADAMS deck to a URDF, a scenario script that reproduces "
        "its run, and a list of ignored statements; an unsupported statement is an error that "
        "names line, statement and reason, and no file is written."
    )
    command.add_argument(
        "file", metavar="FILE", help="URDF, MJCF, SDF or xacro file, ADAMS deck, or shipped robot"
    )
    command.add_argument(
        "out",
        metavar="OUT",
        help="file to write: .urdf, .xml (MJCF), .sdf or .adm; for a deck (.adm) also a folder, "
        "created if it does not exist",
    )
    command.add_argument(
        "--for",
        dest="reader",
        metavar="PROGRAM",
        help="program that will read the file and decides the verdict: MuJoCo, Pinocchio, Drake "
        "or PyBullet (default: Pinocchio for URDF, MuJoCo for MJCF, Drake for SDF, if installed)",
    )
    add_flag(
        command,
        "--merge-fixed",
        "MJCF: let MuJoCo merge links on fixed joints (default: one body per link)",
    )
    add_reading_options(command)
    add_json(command)
    command.set_defaults(action=convert_file)


def convert_file(options: argparse.Namespace) -> int:
    """Write the files and print their names; return status 1 without a certificate."""
    from sim.conversion import SUFFIXES
    from sim.decks.other_files import refuse_other_file

    refuse_other_file(Path(options.file))
    is_deck = options.file.lower().endswith(".adm")
    if is_deck and Path(options.out).suffix.lower() not in SUFFIXES:
        return _convert_deck(options)
    return _convert_robot(options)


def _convert_robot(options: argparse.Namespace) -> int:
    from sim.cli.output import console, print_json
    from sim.conversion import certificate_lines, convert_robot
    from sim.conversion.certificate_files import (
        describe,
        places_of,
        require_places,
        write_certificate,
    )
    from sim.conversion.converting import format_of
    from sim.recording.files.named_file import all_or_none

    out = Path(options.out)
    if format_of(out) != "MJCF" and options.merge_fixed:
        raise ModelError(f"--merge-fixed requires an MJCF file, .xml; {out} is none")
    require_places(out)
    with all_or_none((out, *places_of(out))):
        certificate = convert_robot(
            options.file,
            out,
            reader=options.reader,
            model=options.model,
            xacro=xacro_values(options),
            merge_fixed=options.merge_fixed,
        )
        page, document = write_certificate(certificate)
    if options.json:
        print_json(describe(certificate))
    else:
        lines = (*certificate_lines(certificate), f"page     {page}", f"document {document}")
        for line in lines:
            console().print(line, highlight=False, markup=False, soft_wrap=True)
    return WELL if certificate.ok else WANTING


def _convert_deck(options: argparse.Namespace) -> int:
    from sim.cli.output import console
    from sim.decks import convert, load_deck

    values = {
        "--for": options.reader, "--merge-fixed": options.merge_fixed, "--json": options.json,
        "--model": options.model, "--xacro": options.xacro,
    }  # fmt: skip
    if unused := next((name for name, value in values.items() if value), None):
        raise ScenarioError(f"{unused} applies to a robot file, and {options.out} is a folder")
    model = load_deck(Path(options.file))
    model.scenario()  # a model that cannot be run is not written
    for path in convert(model, Path(options.out)):
        console().print(str(path), highlight=False, markup=False, soft_wrap=True)
    return WELL
