"""Program: an expression as a list of instructions for a stack machine.

Arguments precede their operation: ``2*DM(i, j)`` is NUMBER, DM, TIMES. Each row of
`sim.functions.operations` that is not an expression of others is an instruction.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from sim.functions.operation import Operation
from sim.functions.operations import FUNCTIONS, LAWS, OPERATORS, READ
from sim.functions.parser import written_out
from sim.functions.syntax import Call, Node, Number, Reading, Time, constant

# Without arguments: a number, the time, the duplicate of the top value; a hinge angle and its rate,
# by which a linker replaces readings. With one argument: a spline.
NO_ROWS = "NUMBER", "TIME", "COPY", "HINGES", "HINGE_RATE", "CURVE"


def _instructions_of(arguments: range) -> list[str]:
    """Return the distinct instructions of the rows with these numbers of arguments."""
    rows = (*OPERATORS.values(), *FUNCTIONS.values(), *LAWS.values())
    names = (
        row.opcode or row.name
        for row in rows
        if len(row.parameters) in arguments and not row.text and row.name != "DELAY"
    )
    return list(dict.fromkeys(names))


GROUPS = (NO_ROWS, *(_instructions_of(range(*n)) for n in ((1, 2), (2, 3), (3, 99))), tuple(READ))
"""Instructions of no row, of one, of two and of more values, and readings of the state."""

OPCODES = {name: number for number, name in enumerate(name for group in GROUPS for name in group)}
"""Numbers of the instructions, in the order of their groups."""


class Instruction(NamedTuple):
    """An instruction, with the number, the spline or the reading that it pushes."""

    name: str
    operand: float | Operation | Reading | None = None


class Program(Struct, frozen=True):
    """An expression as a list of instructions that leave its value on the stack."""

    instructions: tuple[Instruction, ...]


def compile_expression(tree: Node) -> Program:
    """Compile a syntax tree to a program."""
    instructions: list[Instruction] = []
    _write(tree, instructions)
    return Program(tuple(instructions))


def _write(node: Node, program: list[Instruction]) -> None:
    """Append the instructions of a tree."""
    match node:
        case Number():
            program.append(Instruction("NUMBER", node.value))
        case Time():
            program.append(Instruction("TIME"))
        case Reading():
            program.append(Instruction(node.name, node))
        case Call(name="+", arguments=(first, *rest)):
            _write(first, program)
            for term in rest:
                _write(term, program)
                program.append(Instruction("ADD"))
        case Call(name="DELAY", arguments=(body, age, before, *_)):
            for part in (age, before, body):
                _write(part, program)
            program += Instruction("COPY"), Instruction("IF")
        case Call() if node.function.steps and (value := constant(node)) is not None:
            program.append(Instruction("NUMBER", value))
        case Call(bound=None) if node.function.text:
            _write(written_out(node), program)
        case Call(arguments=arguments, bound=bound):
            for part in arguments:
                _write(part, program)
            row = node.function
            name = "CURVE" if bound is not None and bound.curve else row.opcode or node.name
            program.append(Instruction(name, bound))
