"""Files such as other programs write, with the traps that were seen in real ones."""

from __future__ import annotations

from collections.abc import Sequence

# A sphere in free fall in inches, by its closed form: y = -g t²/2, g = 386.0885827 in/s².
GRAVITY = 386.0885827

COMPONENTS = ("X", "Y", "Z", "VX", "VY", "VZ")


def res_text(
    times: Sequence[float] = (0.01, 0.02, 0.03, 0.04, 0.05),
    head: str = "",
    steps: str | None = None,
    tail: str = "</Analysis></Results>",
) -> str:
    """A result file of ADAMS. Ids are places, here not in the order of the map; the blocks of
    inputs and initial conditions hold steps too, which are no results."""
    units = ["inch"] * 3 + ["inch/sec"] * 3
    places = [5, 6, 7, 2, 3, 4]
    names = "\n".join(
        f'<Component name="{name}" unitsValue="{unit}" id="{place}" />'
        for name, unit, place in zip(COMPONENTS, units, places, strict=True)
    )
    written = "".join(
        f'<Step type="dynamic">\n{t!r}\n'
        f"0 {-GRAVITY * t!r} 0\n0 {-GRAVITY * t**2 / 2!r} 0\n</Step>\n"
        for t in times
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
{head}<Results xmlns="http://www.mscsoftware.com/:xrf10">
<Analysis name="A" Solver="Adams 2022.1   Adams Solver (C++)">
<StepMap name="map_001">
<Entity name="time"><Component name="TIME" unitsValue="sec" id="1" /></Entity>
<Entity name="BALL_XFORM" entity="BALL" entType="Part" objectId="2">
{names}
</Entity>
</StepMap>
<Data name="modelInput_001" id="1"><Step type="input">0 0 0 0 0 0 0</Step></Data>
<Data name="initialConditions_001" id="2">
<Step type="initialConditions">0 0 0 0 0 99 0</Step>
</Data>
<Data name="dynamic_001" id="3">
{written if steps is None else steps}</Data>
{tail}
"""


def req_text(
    requests: Sequence[str] = ("101 1 4 3 hand", "102 4 4 3 wrist"),
    factor: str = "3.937007874015748E+01",
    rows: Sequence[Sequence[float]] = ((0.0, 1.0, 100.0), (0.5, 2.0, 200.0), (1.0, 3.0, 300.0)),
) -> str:
    """A request file of ADAMS: times, and under each a line of six components for each request."""
    lines = [
        " A.R3    2023-06-13 22:52:01               0         0  3D",
        "Adams View model name: MODEL_1" + " " * 50,
        f"    {len(requests)}     INLBS_PFRACA {factor}",
        *(f"    {request}" for request in requests),
    ]
    for time, *firsts in rows:
        lines.append(f"   {time:.5E}")
        for first in firsts[: len(requests)]:
            lines.append("  ".join(f"{first + k:.5E}" for k in range(6)))
    return "\n".join(lines) + "\n"


# As exported from a postprocessor: a heading, quoted titles with the path of a model.
EXPORTED = """"Adams View model name: cell"
\t"2020-04-"\t"7 14:33:25      "

" Result ID"\t"Result Type"\t"I Marker ID"\t"J Marker ID"\t"Result Title"
"drv_torque"\t"    Sforce"\t"     (N/A)"\t"     (N/A)"\t"(No Comment)"

".cell.LC_4.drv_torque.TIME"\t".cell.LC_4.drv_torque.FX"\t".cell.LC_4.drv_torque.TZ"
1.300000e+01\t0.000000e+00\t-1.652733e+05
1.300100e+01\t0.000000e+00\t-1.650464e+05
1.300200e+01\t0.000000e+00\t-1.648522e+05
"""

# As pasted from two plots: a time before each curve, a blank column, curves of two lengths,
# decimal commas, trailing blanks.
PASTED = (
    "Time\tq elbow (deg)\t\tTime\ttau elbow (N*mm)\t\n"
    "0,0\t1,5\t\t0,0\t10,25\t\n"
    "0,1\t2,5\t\t0,2\t20,25\t\n"
    "0,2\t3,5\t\t0,4\t30,25\t\n"
    "0,3\t4,5\t\t\t\t\n"
)
