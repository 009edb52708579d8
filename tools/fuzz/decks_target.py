"""ADAMS decks: read, joined to a tree, converted to a scenario and a script.

An accepted deck gives a script that Python reads; a refusal names the line.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from sim.decks import deck_model
from sim.decks.converted_files import script_text
from sim.errors import SimError
from tools.fuzz.mutation import NUMBERS, TEXT_CHANGES, text_mutated
from tools.fuzz.target import ROOT, BrokenError, refusal

MORE = """VARIABLE/7, FUNCTION = DM(30,10) - 5*AKISPL(TIME, 0, 3)
SPLINE/3, X = 0, 1, 2, 3, 4, Y = 1, 2, &
1, 2, 1
JOINT/3, PLANAR, I = 40, J = 10, ICROT = 10D, 2
PART/4, MASS = 1, CM = 40, IP = 5, 6, 7, 1, 1, 1, IM = 40
MARKER/40, PART = 4, ZP = 0, 0, 1, XP = 1, 0, 0
MARKER/41, PART = 4, FLOATING
SPRINGDAMPER/1, TRANSLATION, I = 30, J = 40, K = 5, C = 1, LENGTH = 9
BUSHING/1, I = 40, J = 10, K = 1, 2, 3, CT = 1, 1, 1
REQUEST/7, F2 = JOINT(3,0,2,10)\\F3 = ORIENT(27,1,30)\\F4 = VARVAL(9)*ACCX(30,10,0,40), C = F2
REQUEST/8, CNAMES = "", "a b", "c", F2 = FX(31,22)\\F3 = SFORCE(1,0,8,0)
REQUEST/9, A, I = 30, J = 40, RM = 10
VARIABLE/9, FUNCTION = 0
PINPUT/1, VARIABLES = 9
FRICTION/1, JOINT = 2, MU_STATIC = 0.2, MU_DYNAMIC = 0.1
, PIN_RADIUS = 3, INPUTS = PRELOAD:REACTION_FORCE
GFORCE/1, I = 30, JFLOAT = 41, RM = 10, FX = VARVAL(7)\\ TZ = SFORCE(1, 0, 8, 10)
"""
CLOSED = """MARKER/11, PART = 2, REULER = 0, 90D, 0
JPRIM/1, INPLANE, I = 30, J = 11
GCON/1, I = 30, FUNCTION = DM(30,22) - 200
PART/5, MASS = 1, CM = 50, IP = 5, 6, 7
MARKER/50, PART = 5, USEXP, XP = 1, 0, 0, ZP = 0, 0, 1
MARKER/51, PART = 5
JOINT/5, CONVEL, I = 51, J = 10
PART/6, MASS = 1D+00, CM = 60, IP = 5, 6, 7, QG = 0, 0, -200
MARKER/60, PART = 6, QP = 300, 0, 0
JOINT/6, SCREW, I = 60, J = 30, PITCH = 3
FIELD/1, I = 60, J = 50, KMATRIX = 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0
, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, CRATIO = .1, LENGTH = 1, 2, 3, 0, 0, 0
BEAM/1, I = 60, J = 10, LENGTH = 9, AREA = 1, IXX = 1, IYY = 1, IZZ = 1, EMODULUS = 9, GMODULUS = 4
REQUEST/7, F2 = JPRIM(1,0,2,10)\\F3 = FX(30,22)\\F4 = BEAM(1,0,1,0), COMMENT = a, b
SIMULATE/DYNAMIC, END = 1
"""
MOVING = """MOTION/2, JOINT = 7, TRANSLATIONAL, VELOCITY, FUNCTION = 30 + VARVAL(11)
PART/7, MASS = 1, CM = 70, IP = 5, 6, 7, VX = 3, WZ = 2
MARKER/70, PART = 7, REULER = 90D, 90D, 0D
JOINT/7, TRANSLATIONAL, I = 70, J = 101
PART/8, MASS = 2, CM = 80, IP = 5, 6, 7, VM = 10
MARKER/80, PART = 8
MARKER/81, PART = 8, QP = 0, 5, 0
JOINT/8, SPHERICAL, I = 80, J = 70
PART/9, MASS = 2, CM = 90, IP = 5, 6, 7
MARKER/90, PART = 9
JOINT/9, REVOLUTE, I = 90, J = 10, IC = 0, 2
PART/10, MASS = 2, CM = 100, IP = 5, 6, 7
MARKER/100, PART = 10, REULER = 90D, 90D, 0D
MARKER/101, PART = 1, REULER = 90D, 90D, 0D
JOINT/10, REVOLUTE, I = 100, J = 101
GCON/2, FUNCTION = 20*WZ(90,10,10) + 40*WZ(100,101,101)
GCON/3, FUNCTION = DZ(81,10,81) - 0*VARVAL(12)
VARIABLE/11, FUNCTION = 2*VARVAL(12) - VARVAL(13)
VARIABLE/12, FUNCTION = VARVAL(13)*VARVAL(13)
VARIABLE/13, FUNCTION = 2
SFORCE/2, TRANSLATIONAL, ACTIONONLY, I = 81, J = 10, FUNCTION = INCANG(81,10,90) + SFORCE(3,0,2,10)
SFORCE/3, ROTATIONAL, ACTIONONLY, I = 81, J = 10, FUNCTION = VARVAL(11) + 1
REQUEST/10, F2 = FX(81)\\F3 = TM(81,0)\\F4 = DELAY(DZ(81),0.1,0)\\F6 = INVPSD(TIME,1,1,4,20,0,0)
REQUEST/11, FORCE, I = 81
FRICTION/3, JOINT = 9, MU_S = 0.2, MU_D = 0.1, INACTIVE_DURING = STATIC
"""
WORDS = (
    *"END / , = & ! \\ 180D PART/9 GROUND I J CM ( ) ' 1e999 -1 0 40 FUNCTION= VARVAL(7)".split(),
    *"REQUEST/5 F2= JOINT( PINVAL(1,1) USER( C= CNAMES= VARIABLES= INPUTS= 00".split(),
    *"JPRIM(1,1,6,0) FX(30,10) SCREW CONVEL 2:5 1D+03 $ UCF=2 GC=0 PITCH=0 SYSTEM=NONE".split(),
    *"ORIENT(1,4,30) FX( MOTION(1,0,2,0) F4= PSI( PINPUT/2".split(),
    *"FZ(81) VZ(81,10,10) WX(90) DX(81,10,81) INCANG( SFORCE(2,0,2,0) VARVAL(11) IC=".split(),
    *("\n,", "\n", "adams_view_name='\"\\'"),
)


class DecksTarget:
    """The text of a deck."""

    name = "decks"
    suffix = ".adm"

    def seeds(self) -> list[bytes]:
        """Return the deck of the documentation, and the same with a statement of each kind."""
        page = (ROOT / "docs" / "howto" / "decks.md").read_text("utf-8")
        deck = page.partition(":caption: arm.adm\n\n")[2].partition("```")[0]
        mores = ("", MORE, CLOSED, MOVING)
        return [deck.replace("END\n", f"{more}END\n").encode() for more in mores]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Return changes of the text, some of them with words of decks."""

        def said(text: str, chance: random.Random) -> str:
            parts = re.split(r"(\W)", text)
            parts[chance.randrange(len(parts))] = chance.choice((*WORDS, *NUMBERS))
            return "".join(parts)

        return text_mutated(data, chance, [*TEXT_CHANGES, said, said, said], 6000)

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Return whether it was accepted as a script that Python reads, or refused."""
        try:
            model = deck_model(data.decode("utf-8", "replace"))
        except SimError as error:
            if not re.match(r"line \d", str(error)):
                raise BrokenError(f"a refusal without its line: {error}") from None
            return refusal(error)
        compile(script_text(model, "deck"), "deck.py", "exec")
        try:
            scenario = model.scenario()
        except SimError as error:
            return refusal(error)
        return f"taken, {len(scenario.robot.joint_names)} joints, {len(scenario.forces)} forces"

    def parts(self, data: bytes) -> list[bytes]:
        """Return its lines."""
        return data.splitlines(keepends=True)

    def joined(self, parts: Sequence[bytes]) -> bytes:
        """Return the text of some lines."""
        return b"".join(parts)


TARGET = DecksTarget
