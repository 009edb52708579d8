"""Tables of a page: checks, claims, scenario, model, provenance, as plain text for a template."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sim.recording import Recording
from sim.reports.page.judged import plotted_channel

OPEN_CHECKS = 12  # rows that are seen before the rest is asked for
DEGREE = math.pi / 180


def number(value: float | None, digits: int = 4) -> str:
    """A number as text, with a real minus sign and without padding in its exponent."""
    if value is None:
        return "–"
    if not math.isfinite(value):
        return "no number" if math.isnan(value) else "∞"
    whole = len(str(int(abs(value)))) if abs(value) < 1e5 else 0
    text = f"{value + 0.0:.{max(digits, whole)}g}"
    mantissa, e, exponent = text.partition("e")
    return (mantissa + (f"e{int(exponent)}" if e else "")).replace("-", "−")


def share(check: Mapping[str, Any], joints: Sequence[Mapping[str, Any]]) -> float:
    """How much of its limit a check uses; above 1 it has failed.

    Of a range, how far the joint goes from its middle to the end in question.
    """
    worst, limit = check["worst"], check["limit"]
    if worst is None or limit is None:
        return math.inf
    if check["name"].endswith("end of range"):
        for joint in joints:
            both = joint["lower"] is not None and joint["upper"] is not None
            if check["channel"] == f"q.{joint['name']}" and both:
                middle = (joint["lower"] + joint["upper"]) / 2
                half = limit - middle
                return float((worst - middle) / half) if half else math.inf
        return 0.0 if check["ok"] else math.inf
    if limit == 0:
        return 0.0 if worst == 0 else math.inf
    return float(worst / limit)


def check_rows(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Checks, those that failed first, then by how much of their limit they use."""
    joints = info["robot"]["joints"]
    rows = []
    for check in info.get("checks", ()):
        used = share(check, joints)
        if not check["ok"] and used <= 1:
            used = math.inf if math.isnan(used) else used
        rows.append(
            {
                "name": check["name"],
                "channel": check["channel"],
                "plot": plotted_channel(check),
                "worst": number(check["worst"], 3),
                "limit": number(check["limit"], 3),
                "unit": "" if check["unit"] == "1" else check["unit"],
                "at": check["at"],
                "used": used,
                "percent": _percent(used),
                "bar": round(100 * min(max(used, 0.0), 1.0), 1),
                "ok": check["ok"],
            }
        )
    return sorted(rows, key=lambda row: (row["ok"], -row["used"]))


def _percent(used: float) -> str:
    if not math.isfinite(used):
        return "–"
    return f"{100 * used:.0f} %" if used < 10 else f"{number(used, 3)} ×"


def claim_rows(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each claim once, with what was found on every channel that it is about."""
    claims: dict[tuple[str, str], list[dict[str, Any]]] = {
        (claim["text"], claim["source"]): [] for claim in info.get("claims", ())
    }
    for result in info.get("claim_results", ()):
        row = {
            "channel": result["channel"],
            "found": number(result["found"]),
            "claimed": ("≤ " if result["within"] is None else "") + number(result["expected"]),
            "within": "" if result["within"] is None else f"± {number(result['within'])}",
            "unit": "" if result["unit"] == "1" else result["unit"],
            "ok": result["ok"],
            "at": result["found"] if result["unit"] == "s" else result.get("at"),
        }
        claims.setdefault((result["text"], result["source"]), []).append(row)
    rows = []
    for (text, source), results in claims.items():
        shown = sum(result["ok"] for result in results)
        word = "not judged" if not results else f"{shown} of {len(results)}"
        state = "none" if not results else "ok" if shown == len(results) else "part"
        rows.append(
            {"text": text, "source": source, "results": results, "word": word, "state": state}
        )
    return rows


def headline(info: Mapping[str, Any]) -> list[str]:
    """What was run, in a few words."""
    settings = info["settings"]
    words = [info["robot"]["name"], f"method {info['method']}", f"{number(settings['duration'])} s"]
    words.append(f"step {number(1e3 * settings['dt'])} ms")
    words += [f"{key} {shown(value)}" for key, value in info.get("parameters", {}).items()]
    return words


def shown(value: object) -> str:
    """A parameter as a person would write it."""
    if isinstance(value, list | tuple):
        return ", ".join(shown(part) for part in value)
    return number(value, 6) if isinstance(value, float) else str(value)


def joint_rows(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Kind, range and ratings of each joint; angles in degrees."""
    rows = []
    for joint in info["robot"]["joints"]:
        slides = joint["kind"] == "prismatic"
        scale, unit = (1.0, "m") if slides else (DEGREE, "°")
        ends = [None if joint[e] is None else joint[e] / scale for e in ("lower", "upper")]
        speed = None if joint["velocity"] is None else joint["velocity"] / scale
        rows.append(
            {
                "name": joint["name"],
                "kind": joint["kind"],
                "mimic": joint["mimic"],
                "range": "–" if None in ends else f"{number(ends[0])} … {number(ends[1])} {unit}",
                "speed": "–" if speed is None else f"{number(speed)} {unit}/s",
                "effort": "–"
                if joint["effort"] is None
                else f"{number(joint['effort'])} {'N' if slides else 'N·m'}",
            }
        )
    return rows


def link_rows(info: Mapping[str, Any], extras: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """Mass of each link [kg], and what the scene knows of it.

    Its frame in that of its parent [mm, °], its mass centre [mm], and its inertia about that along
    the axes of its frame [kg·m²].
    """
    masses = info["robot"].get("masses", {})
    rows = []
    for name in dict.fromkeys([*extras, *masses]):
        facts = extras.get(name, {})
        rows.append(
            {
                "name": name,
                "mass": number(masses[name]) if name in masses else "",
                "parent": facts.get("parent", ""),
                "xyz": [number(round(1e3 * x, 3)) for x in facts.get("xyz", ())],
                "rpy": [number(round(x / DEGREE, 4)) for x in facts.get("rpy", ())],
                "com": [number(round(1e3 * x, 3)) for x in facts.get("com", ())],
                "inertia": [number(round(x, 12)) for x in facts.get("inertia", ())],
            }
        )
    return rows


def settings_rows(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Settings of the run, by name."""
    settings = info["settings"]
    corners = settings["corners"]
    rows = [
        ("Method", info["method"]),
        ("Duration", f"{number(settings['duration'], 6)} s"),
        ("Step", f"{number(1e3 * settings['dt'], 6)} ms"),
        ("Gravity", ", ".join(number(g) for g in settings["gravity"]) + " m/s²"),
    ]
    if corners:
        times = ", ".join(number(t) for t in corners[:8]) + (" …" if len(corners) > 8 else "")
        rows.append(("Corners", f"{times} s: a sample beside one may sit on either side of a jump"))
    if settings["free"]:
        rows.append(("Free joints", ", ".join(settings["free"])))
    rows += [(f"Parameter {k}", shown(v)) for k, v in info.get("parameters", {}).items()]
    return rows


def command(info: Mapping[str, Any]) -> str:
    """The command that repeats a run."""
    script = info.get("script", {}).get("path")
    own = script is not None and "scenarios" not in str(script).replace("\\", "/").split("/")
    words = ["sim", "run", str(script) if own else str(info["scenario"])]
    for key, value in info.get("parameters", {}).items():
        text = ",".join(str(part) for part in value) if isinstance(value, list) else str(value)
        words += ["--set", f"{key}={text}"]
    words += ["--method", str(info["method"]), "--dt", repr(info["settings"]["dt"])]
    return shlex.join(words)


def provenance_rows(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where the run comes from: time, versions, hashes."""
    origin = info.get("provenance", {})
    rows = [
        ("Run", str(info.get("run", ""))),
        ("Made", str(origin.get("created", ""))),
        ("Typed", shlex.join(str(word) for word in origin.get("command", ()))),
        ("Python", f"{origin.get('python', '')} on {origin.get('platform', '')}"),
        ("Packages", ", ".join(f"{k} {v}" for k, v in origin.get("versions", {}).items())),
        ("URDF", f"sha256 {info['robot']['urdf_sha256']}"),
    ]
    script = info.get("script")
    if script:
        rows.append(("Script", f"{script.get('path')}  sha256 {script.get('sha256')}"))
    rows += [(name, f"sha256 {digest}") for name, digest in info.get("files", {}).items()]
    return [(name, text) for name, text in rows if text.strip()]


def generic_table(content: object) -> dict[str, Any] | None:
    """Rows of a mapping or of a list of mappings whose keys nobody has told; None if empty."""
    if isinstance(content, Mapping):
        nested = [value for value in content.values() if isinstance(value, Mapping)]
        if nested and len(nested) == len(content):
            return generic_table([{"": key, **value} for key, value in content.items()])
        content = [{"": _words(key), "value": value} for key, value in content.items()]
    if not isinstance(content, list | tuple) or not content:
        return None
    flat = [dict(_flat(row)) for row in content if isinstance(row, Mapping)]
    columns = list(dict.fromkeys(key for row in flat for key in row))
    if not columns:
        return None
    rows = [[_cell(row.get(column)) for column in columns] for row in flat]
    return {"columns": columns, "rows": rows}


def _flat(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        name = f"{before} {_words(key)}".strip()
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        else:
            yield name, value


def _words(key: object) -> str:
    return str(key).replace("_", " ")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(float(value))
    if isinstance(value, list | tuple):
        return ", ".join(_cell(part) for part in value)
    return "–" if value is None else str(value)


def facts(recording: Recording, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The few numbers that a reader wants first."""
    info = recording.info
    failed = sum(not row["ok"] for row in rows)
    found = [
        {
            "title": "Checks",
            "value": f"{len(rows) - failed} of {len(rows)}",
            "note": "passed" if not failed else f"passed, {failed} failed",
        }
    ]
    agreement = [row for row in rows if row["name"] == "torque"]
    if agreement:
        worst = agreement[0]
        found.append(
            {
                "title": f"Torque error, {worst['channel'].removeprefix('tau.')}",
                "value": f"{worst['worst']} {worst['unit']}",
                "note": f"{worst['percent']} of its limit",
            }
        )
    loads = [row for row in rows if row["name"] == "rated torque"]
    if loads:
        most = max(loads, key=lambda row: row["used"])
        found.append(
            {
                "title": f"Highest load, {most['channel'].removeprefix('tau.')}",
                "value": f"{most['worst']} {most['unit']}",
                "note": f"{most['percent']} of its rating",
            }
        )
    results = info.get("claim_results", ())
    if results:
        shown_here = sum(bool(result["ok"]) for result in results)
        found.append(
            {"title": "Claims", "value": f"{shown_here} of {len(results)}", "note": "shown"}
        )
    return found
