"""Force elements, requests and drives as a file has them: byte for byte, and values again."""

import msgspec
import numpy as np
import pytest

import sim
from sim.dynamics import CountedAngle, JointEnds
from sim.dynamics.model_names import ModelNames
from sim.errors import ScenarioError
from sim.recording.schema import element_facts
from sim.recording.schema.element_facts import (
    ElementFacts,
    ModelNamesFacts,
    class_of,
    facts_of,
    read_facts,
    value_of,
)

A, B = sim.Marker("a", "bob"), sim.Marker("b", "world", np.array([0, 0, 1]))
MARKER = '{"name":"%s","link":"%s","xyz":[0.0,0.0,%s],"rpy":[0.0,0.0,0.0]}'
ENDS = f'"i":{MARKER % ("a", "bob", 0.0)},"j":{MARKER % ("b", "world", 1.0)}'
CURVE = sim.spline([0, 1, 2, 3], [0, 1, 4, 9], "akima", "linear")
POINTS = (
    '{"knots":[0.0,1.0,2.0,3.0],"values":[0.0,1.0,4.0,9.0],"kind":"akima","extrapolate":"linear"}'
)
NONE = '"names":{"markers":[],"variables":{},"forces":[],"splines":{}}'
SPRING = (
    '{"kind":"spring","name":"s",%s,"stiffness":5.0,"damping":0.0,"free_length":0.0,'
    '"preload":0.0,"force":null}'
)
# As files of format 5 have them.
KEPT = [
    (
        sim.Force("bob", force=("10*time", 0, 1.5), at=(0, 0, 0.1), axes="bob"),
        '{"kind":"force","frame":"bob","force":["10*time","0","1.5"],"torque":["0.0","0.0","0.0"],'
        '"at":[0.0,0.0,0.1],"axes":"bob"}',
    ),
    (
        sim.Force("bob", force=(CURVE, "AKISPL(TIME,0,K)", 0), splines={"K": CURVE}, name="f"),
        '{"kind":"force","frame":"bob","force":["AKISPL(TIME, 0, fx)","AKISPL(TIME,0,K)","0"],'
        '"torque":["0.0","0.0","0.0"],"at":[0.0,0.0,0.0],"axes":"world",'
        f'"splines":{{"K":{POINTS},"fx":{POINTS}}},"name":"f"}}',
    ),
    (
        sim.GroundContact("bob", stiffness=10000, radius=0.1),
        '{"kind":"contact","frame":"bob","stiffness":10000.0,"radius":0.1,"at":[0.0,0.0,0.0],'
        '"exponent":1.5,"damping":0.0,"depth":0.0001,"height":0.0,"normal":[0.0,0.0,1.0],'
        '"mu_static":0.0,"stiction_velocity":0.01}',
    ),
    (
        sim.Contact(
            sim.ContactShape.sphere("bob", 0.1),
            sim.ContactShape.plane(),
            sim.ContactLaw.impact(1e5),
            mu_static=0.3,
        ),
        '{"kind":"shape contact","a":{"kind":"sphere","at":{"name":"sphere","link":"bob",'
        '"xyz":[0.0,0.0,0.0],"rpy":[0.0,0.0,0.0]},"size":[0.1,0.0,0.0]},"b":{"kind":"plane",'
        '"at":{"name":"plane","link":"world","xyz":[0.0,0.0,0.0],"rpy":[0.0,0.0,0.0]},'
        '"size":[0.0,0.0,0.0]},"law":{"kind":"impact","stiffness":100000.0,"exponent":1.5,'
        '"damping":0.0,"depth":0.0001},"name":"bob-world","mu_static":0.3,"mu_dynamic":null,'
        '"stiction_velocity":0.01,"friction_velocity":null,"allow_overlap":false}',
    ),
    (
        sim.Contact(
            sim.ContactShape("mesh", A, points=(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)),
            sim.ContactShape.plane(),
            sim.ContactLaw.impact(1e5),
        ),
        f'{{"kind":"shape contact","a":{{"kind":"mesh","at":{MARKER % ("a", "bob", 0.0)},'
        '"size":[0.0,0.0,0.0],"points":[0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0]},'
        '"b":{"kind":"plane","at":{"name":"plane","link":"world","xyz":[0.0,0.0,0.0],'
        '"rpy":[0.0,0.0,0.0]},"size":[0.0,0.0,0.0]},"law":{"kind":"impact","stiffness":100000.0,'
        '"exponent":1.5,"damping":0.0,"depth":0.0001},"name":"bob-world","mu_static":0.0,'
        '"mu_dynamic":null,"stiction_velocity":0.01,"friction_velocity":null,'
        '"allow_overlap":false}',
    ),
    (sim.Spring("s", A, B, stiffness=5), SPRING % ENDS),
    (
        sim.Spring("s", A, B, force=CURVE, damping=2),
        f'{{"kind":"spring","name":"s",{ENDS},"stiffness":0.0,"damping":2.0,"free_length":0.0,'
        f'"preload":0.0,"force":{POINTS}}}',
    ),
    (
        sim.SForce("f", A, B, 3),
        f'{{"kind":"single force","name":"f",{ENDS},"function":"3.0","acts":"translational",'
        f'"action_only":false,{NONE}}}',
    ),
    (
        sim.VForce("v", A, B, ("DM(a, b)", 0, 1), along=A),
        f'{{"kind":"vector force","name":"v",{ENDS},"force":["DM(a, b)","0.0","1.0"],'
        f'"torque":["0.0","0.0","0.0"],"along":{MARKER % ("a", "bob", 0.0)},{NONE}}}',
    ),
    (
        sim.Bushing("b", A, B, stiffness=(1, 2, 3)),
        f'{{"kind":"bushing","name":"b",{ENDS},"stiffness":[1.0,2.0,3.0],"damping":[0.0,0.0,0.0],'
        '"turning_stiffness":[0.0,0.0,0.0],"turning_damping":[0.0,0.0,0.0],'
        '"preload":[0.0,0.0,0.0],"turning_preload":[0.0,0.0,0.0]}',
    ),
    (
        sim.States(
            sim.Names(
                forces=(sim.Spring("s", A, B, stiffness=5),),
                states={"lag": "1 - DIF(lag)", "more": "0"},
                start={"lag": 2},
            )
        ),
        f'{{"kind":"states","names":{{"markers":[],"variables":{{}},"forces":[{SPRING % ENDS}],'
        '"splines":{},"states":{"lag":"1 - DIF(lag)","more":"0"},'
        '"start":{"lag":2.0,"more":0.0}}}',
    ),
    (
        CountedAngle("AZ", A, B, at_start=0.5),
        f'{{"kind":"counted angle","function":"AZ",{ENDS},"at_start":0.5}}',
    ),
]


@pytest.mark.parametrize(("element", "text"), KEPT, ids=lambda x: type(x).__name__)
def test_a_file_has_the_fields_of_an_element_and_the_element_comes_back(element, text):
    facts = facts_of(element)
    assert msgspec.json.encode(facts).decode() == text
    read = read_facts(ElementFacts, msgspec.json.decode(text))
    assert (read, class_of(read)) == (facts, type(element))
    assert msgspec.json.encode(facts_of(value_of(read))).decode() == text


def test_every_kind_is_tried():
    assert {type(element) for element, _ in KEPT} == set(element_facts.kinds().values())


def test_names_of_another_program_come_back():
    names = ModelNames({"P": A}, {"J": JointEnds("J", ("hinge",), A, B)}, {"M": "hinge"})
    text = msgspec.json.encode(facts_of(names)).decode()
    assert text == (
        f'{{"parts":{{"P":{MARKER % ("a", "bob", 0.0)}}},'
        f'"joints":{{"J":{{"label":"J","joints":["hinge"],{ENDS}}}}},"motions":{{"M":"hinge"}}}}'
    )
    again = value_of(read_facts(ModelNamesFacts, msgspec.json.decode(text)))
    assert facts_of(again) == facts_of(names)
    assert msgspec.json.encode(facts_of(ModelNames())) == b"{}"


def test_fields_that_were_added_may_lack_and_then_stay_away():
    text = KEPT[2][1].replace(
        ',"normal":[0.0,0.0,1.0],"mu_static":0.0,"stiction_velocity":0.01', ""
    )
    read = read_facts(ElementFacts, msgspec.json.decode(text))
    assert msgspec.json.encode(read).decode() == text
    assert facts_of(value_of(read)) == facts_of(KEPT[2][0])


@pytest.mark.parametrize(
    ("now", "then", "reason"),
    [
        ('"stiffness":5.0', '"stiffness":"5"', r"Expected `float`, got `str` - at `\$.stiffness`"),
        ('"kind":"spring"', '"kind":"sprung"', r"Invalid value 'sprung' - at `\$.kind`"),
        ('"name":"s"', '"name":"s","more":1', "contains unknown field `more`"),
        ('"force":null', '"force":1.0', r"Expected `str \| object \| null`, got `float`"),
    ],
)
def test_what_no_element_has_is_refused_with_its_place(now, then, reason):
    content = msgspec.json.decode((SPRING % ENDS).replace(now, then))
    with pytest.raises(ValueError, match=reason):
        read_facts(ElementFacts, content)


def test_an_element_that_no_description_has_is_refused():
    class Drag(sim.dynamics.ForceElement):
        pass

    with pytest.raises(ScenarioError, match=r"no force element Drag: .* a string, or sample it"):
        facts_of(Drag())
