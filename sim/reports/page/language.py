"""Functions of expressions for the page's script, from the rows of the language."""

from __future__ import annotations

import json

from sim.functions.operation import Operation
from sim.functions.operations import CONSTANTS, FUNCTIONS


def language_script() -> str:
    """Return the script that defines ``LANGUAGE``, with which `template/language.js` evaluates."""
    rows = (row for row in FUNCTIONS.values() if row.js or row.text)
    functions = ",".join(f"{row.name}:{_row(row)}" for row in rows)
    return f"const LANGUAGE={{constants:{json.dumps(CONSTANTS)},functions:{{{functions}}}}};\n"


def _row(row: Operation) -> str:
    counts = row.fewest_arguments, len(row.parameters)
    if not row.js:
        text = row.text_of(0)
        return json.dumps({"counts": counts, "text": text, "parameters": row.parameters})
    places = {name: row.indices(getattr(row, name)) for name in ("numbers", "alike", "heights")}
    units = {"unit": row.unit_of(), "power": row.power}
    facts = json.dumps({"counts": counts, **places, **units})
    return f'{facts[:-1]},"formula":{row.js}}}'
