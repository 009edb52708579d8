"""Finished runs and baselines: what is claimed of them, and what happens to their files."""

import math
from dataclasses import replace

import msgspec

from sim.recording import Recording
from tests.mutations.lies import (
    baseline_curves,
    baseline_file,
    baseline_instants,
    baseline_settings,
    both_damaged,
    copied,
    cut,
    described,
    drives,
    edited,
    element,
    few_cut_open,
    first,
    first_half,
    flipped_bit,
    friction_law,
    joint_facts,
    late,
    masses,
    more,
    moved_time,
    of_baseline,
    removed,
    robot_facts,
    scaled,
    sealed_with,
    settings,
    shifted,
    spiked,
    swapped,
    told,
    unit,
    urdf,
    without,
    without_any,
)
from tests.mutations.mutation import (
    Differs,
    Fails,
    Lie,
    Refuses,
    Says,
    Stops,
    baseline,
    damage,
    lie,
)

ARM, STEPPED, BARS, GEAR = "arm ideal", "arm stepped", "bars ideal", "gear ideal"
TWO_WAYS = "Lagrange and Newton-Euler"
CUT, BY_JOINTS = "reaction of a released joint", "forward kinematics"

ROBOT, EDITED, MISSING = Fails("robot"), Refuses("was edited since"), Refuses("does not exist")
CHANGED, ACCEPTED = Refuses("has changed since the run"), Refuses("has changed since it was accept")
BASELINE = "baseline.json"

WIDE = scaled("tau.lift", 1.001, "both")


def wrist(factor: float) -> Lie:
    """Torque and power of the wrist together, as somebody would who knows the checks."""
    return told(scaled("tau.wrist", factor), scaled("power.wrist", factor))


def _powers_again(run: Recording) -> Recording:
    """Power of a joint from what is recorded of torque and speed."""
    table = run.recorded.copy()
    table["power.lift"] = table["tau.lift"] * table["qd.lift"]
    return replace(run, recorded=table)


CORNERED = (
    spiked("tau.lift", 303, 0.01),
    _powers_again,
    settings(corners=tuple(5e-4 * k for k in range(1, 600))),
)

RECORDED = (
    # --- reactions --------------------------------------------------------------------------------
    lie(
        "fx of all reactions with the other sign",
        ARM,
        scaled("reaction.*.fx", -1.0),
        Fails("reaction", "reaction.*"),
    ),
    lie(
        "mx of all reactions twice",
        ARM,
        scaled("reaction.*.mx", 2.0),
        Fails("reaction", "reaction.*"),
    ),
    lie(
        "all reactions 1 % too large",
        ARM,
        scaled("reaction.*", 1.01),
        Fails("reaction", "reaction.*"),
    ),
    lie(
        "forces of reactions 1 % too large while stepping",
        STEPPED,
        scaled("reaction.wrist.f?", 1.01),
        Fails("reaction", "reaction.wrist*"),
    ),
    lie(
        "all reactions 1 % too large in both tables",
        ARM,
        scaled("reaction.*", 1.01, "both"),
        Fails(TWO_WAYS, "tau.wrist"),
    ),
    lie(
        "fx of a hinge's reaction with the other sign in both tables",
        ARM,
        scaled("reaction.turn.fx", -1.0, "both"),
        Fails(CUT, "reaction.*"),
    ),
    lie(
        "a moment across a hinge 1 % too large in both tables",
        ARM,
        scaled("reaction.lift.mx", 1.01, "both"),
        Fails(CUT, "reaction.*"),
    ),
    lie(
        "a measured reaction 1 % too large",
        ARM,
        scaled("measure.held.fz", 1.01),
        Fails("measured reaction", "measure.held.fz"),
    ),
    lie(
        "the force in a loop's pin 1 % too large",
        BARS,
        scaled("loop.*.fx", 1.01),
        Fails("loop closure force", "loop.*.fx"),
    ),
    # --- the tool ---------------------------------------------------------------------------------
    lie(
        "the tool turned by the transposed rotation",
        ARM,
        scaled("tool.q[xyz]", -1.0),
        Fails("tool orientation"),
    ),
    lie(
        "x and y of the tool's quaternion change places",
        ARM,
        swapped("tool.qx", "tool.qy"),
        Fails("tool orientation"),
    ),
    lie(
        "the tool turns the other way",
        ARM,
        scaled("tool.w[xyz]", -1.0),
        Fails("tool angular velocity"),
    ),
    lie("the tool's velocity 1 % too large", ARM, scaled("tool.v?", 1.01), Fails("tool velocity")),
    lie(
        "the tool's acceleration 1 % too large",
        ARM,
        scaled("tool.a?", 1.01),
        Fails("tool acceleration"),
    ),
    lie(
        "the tool's turning acceleration 1 % too large",
        ARM,
        scaled("tool.wd?", 1.01),
        Fails("tool angular acceleration"),
    ),
    lie("the tool 0.1 µm aside", ARM, shifted("tool.y", 1e-7), Fails("tool position")),
    lie(
        "the tool 1 mm aside in both tables",
        ARM,
        shifted("tool.y", 1e-3, "both"),
        Differs("tool.y"),
        command="compare",
    ),
    lie(
        "the tool 1 mm aside in both tables, by the run alone",
        ARM,
        shifted("tool.y", 1e-3, "both"),
        Fails(BY_JOINTS, "tool.x"),
    ),
    lie(
        "the tool 1e-12 m aside in both tables",
        ARM,
        shifted("tool.y", 1e-12, "both"),
        Fails(BY_JOINTS, "tool.x"),
    ),
    lie(
        "the tool turned by 1e-10 in both tables",
        ARM,
        shifted("tool.qz", 1e-10, "both"),
        Fails(BY_JOINTS, "tool.qx"),
    ),
    lie(
        "the tool's velocity 1e-9 too large in both tables",
        ARM,
        scaled("tool.v?", 1 + 1e-9, "both"),
        Fails(BY_JOINTS, "tool.vx"),
    ),
    lie(
        "the tool turns backwards in both tables",
        ARM,
        scaled("tool.w?", -1.0, "both"),
        Fails(BY_JOINTS, "tool.wx"),
    ),
    lie(
        "the tool's acceleration 1e-9 too large in both tables",
        ARM,
        scaled("tool.a?", 1 + 1e-9, "both"),
        Fails(BY_JOINTS, "tool.ax"),
    ),
    lie(
        "the tool's turning acceleration 1e-9 too large in both tables",
        ARM,
        scaled("tool.wd?", 1 + 1e-9, "both"),
        Fails(BY_JOINTS, "tool.wdx"),
    ),
    lie(
        "the tool of a joint that nothing drives aside in both tables",
        "loose adaptive",
        shifted("tool.x", 1e-9, "both"),
        Fails(BY_JOINTS, "tool.x"),
    ),
    lie(
        "a slide 1e-9 m further out in both tables",
        ARM,
        shifted("q.reach", 1e-9, "both"),
        Fails(BY_JOINTS, "tool.x"),
    ),
    # --- motion -----------------------------------------------------------------------------------
    lie("a position 1e-9 off", ARM, shifted("q.wrist", 1e-9), Fails("position", "q.wrist")),
    lie("one sample of a position", ARM, spiked("q.lift", 301, 1e-6), Fails("position", "q.lift")),
    lie("velocities one sample late", ARM, late("qd.lift", 1), Fails("velocity", "qd.lift")),
    lie(
        "an acceleration 1e-6 too large",
        ARM,
        scaled("qdd.lift", 1.000001),
        Fails("acceleration", "qdd.lift"),
    ),
    lie(
        "an acceleration 0.1 % too large in both tables",
        ARM,
        scaled("qdd.lift", 1.001, "both"),
        Fails("velocity from acceleration", "qd.lift"),
    ),
    lie(
        "an acceleration in a closed loop 0.1 % too large in both tables",
        BARS,
        scaled("qdd.rocker_joint", 1.001, "both"),
        Fails("velocity from acceleration", "qd.rocker_joint"),
    ),
    lie(
        "an acceleration of a follower 0.1 % too large in both tables",
        GEAR,
        scaled("qdd.output", 1.001, "both"),
        Fails("velocity from acceleration", "qd.output"),
    ),
    lie(
        "one sample of a velocity in both tables",
        STEPPED,
        spiked("qd.turn", 301, 1e-4, "both"),
        Fails("velocity from acceleration", "qd.turn"),
    ),
    lie(
        "one sample of a position in both tables",
        STEPPED,
        spiked("q.reach", 301, 1e-6, "both"),
        Fails("position from velocity", "q.reach"),
    ),
    lie(
        "an acceleration 0.1 % too large in both tables, beside its baseline",
        ARM,
        scaled("qdd.lift", 1.001, "both"),
        Differs("qdd.lift"),
        command="compare",
    ),
    lie(
        "positions of two joints change places in both tables",
        ARM,
        swapped("q.turn", "q.lift", "both"),
        Fails("position from velocity", "q.turn"),
        Fails("position from velocity", "q.lift"),
    ),
    lie(
        "positions of two joints change places in both tables, beside their baseline",
        ARM,
        swapped("q.turn", "q.lift", "both"),
        Differs("q.turn"),
        Differs("q.lift"),
        command="compare",
    ),
    lie(
        "velocities of two joints change places in both tables",
        ARM,
        swapped("qd.turn", "qd.lift", "both"),
        Fails("drive work"),
    ),
    # --- torques, powers, works -------------------------------------------------------------------
    lie(
        "the torque of the last wrist 0.1 % too large",
        ARM,
        scaled("tau.wrist", 1.001),
        Fails("torque", "tau.wrist"),
    ),
    lie(
        "the torque of the last wrist 0.1 % too large while stepping",
        STEPPED,
        scaled("tau.wrist", 1.001),
        Fails("torque", "tau.wrist"),
    ),
    lie(
        "one sample of a torque",
        STEPPED,
        spiked("tau.wrist", 77, 0.01),
        Fails("torque", "tau.wrist"),
    ),
    lie(
        "torques of two joints change places",
        ARM,
        swapped("tau.turn", "tau.lift"),
        Fails("torque", "tau.turn"),
    ),
    lie(
        "all torques 0.1 % too large in both tables",
        ARM,
        scaled("tau.*", 1.001, "both"),
        Fails(TWO_WAYS, "tau.wrist"),
    ),
    lie(
        "torques without what friction takes",
        ARM,
        told(scaled("tau.turn", 0.8, "both"), scaled("friction.turn", 0.0, "both")),
        Fails(TWO_WAYS, "tau.turn"),
    ),
    lie("a torque of zero", ARM, scaled("tau.turn", 0.0), Fails("torque", "tau.turn")),
    lie("powers 1 % too large", ARM, scaled("power.*", 1.01), Fails("power", "power.wrist")),
    lie(
        "powers 1 % too large in both tables",
        ARM,
        scaled("power.*", 1.01, "both"),
        Fails("torque times speed", "power.lift"),
        Fails("torque times speed of model", "power.lift"),
    ),
    lie(
        "the work of a drive 1 % too large",
        ARM,
        scaled("work.lift", 1.01),
        Fails("drive work", "work.lift"),
        Fails("energy balance"),
    ),
    lie(
        "a loss that is a gain",
        ARM,
        scaled("loss.lift", -1.0),
        Fails("dissipative friction", "loss.lift"),
        Fails("friction loss", "loss.lift"),
    ),
    lie(
        "friction 10 % too large",
        ARM,
        scaled("friction.lift", 1.1),
        Fails("friction loss", "loss.lift"),
    ),
    lie(
        "friction 10 % too large in both tables",
        ARM,
        scaled("friction.lift", 1.1, "both"),
        Fails(TWO_WAYS, "tau.lift"),
    ),
    lie(
        "a spring 1 % stiffer",
        ARM,
        scaled("spring.wrist", 1.01),
        Fails("force element", "spring.wrist"),
    ),
    lie(
        "a stop 1 % stiffer",
        ARM,
        scaled("stop.reach", 1.01),
        Fails("force element", "stop.reach"),
    ),
    lie(
        "a spring 1 % stiffer in both tables",
        ARM,
        scaled("spring.wrist", 1.01, "both"),
        Fails(TWO_WAYS, "tau.wrist"),
    ),
    lie(
        "regimes of friction are others",
        ARM,
        scaled("regime.lift", 0.0),
        Fails("friction regime", "regime.lift"),
    ),
    lie(
        "one sample of a regime of friction in both tables",
        ARM,
        spiked("regime.wrist", 301, -1.0, "both"),
        Fails("friction regime", "regime.wrist"),
        Fails("friction regime of model", "regime.wrist"),
    ),
    lie(
        "a law of friction that sticks longer",
        ARM,
        friction_law("lift", stiction_velocity=0.02),
        Fails("friction regime of model", "regime.lift"),
    ),
    lie(
        "a law of friction that is none",
        ARM,
        friction_law("lift", stiction_velocity=-1.0),
        Refuses("has no law of friction for joint 'lift'"),
    ),
    lie(
        "the estimated error of a torque is large",
        STEPPED,
        shifted("tau_error.lift", 10.0),
        Fails("step halving", "tau.lift"),
    ),
    # --- energies ---------------------------------------------------------------------------------
    lie(
        "kinetic energy of the light last link 0.5 % too large",
        ARM,
        scaled("ke.flange", 1.005),
        Fails("kinetic energy", "ke.flange"),
    ),
    lie(
        "kinetic energy of the light last link 0.5 % too large while stepping",
        STEPPED,
        scaled("ke.flange", 1.005),
        Fails("kinetic energy", "ke.flange"),
    ),
    lie(
        "kinetic energy 0.1 % too large in both tables",
        ARM,
        scaled("ke", 1.001, "both"),
        Fails("energy balance of the model"),
        Fails("energy balance"),
    ),
    lie(
        "kinetic energy of one link 0.5 % too large in both tables",
        ARM,
        scaled("ke.flange", 1.005, "both"),
        Fails("sum of energies", "ke"),
        Fails("sum of energies of model", "ke"),
    ),
    lie("potential energy 1e-6 off", ARM, shifted("pe", 1e-6), Fails("potential energy")),
    lie(
        "potential energy 0.1 % too large in both tables",
        ARM,
        scaled("pe", 1.001, "both"),
        Fails("energy balance of the model"),
    ),
    lie(
        "what the surroundings do, 1 % too large",
        ARM,
        scaled("external", 1.01),
        Fails("energy balance"),
    ),
    lie(
        "what the surroundings do, with the other sign",
        ARM,
        scaled("external", -1.0, "both"),
        Fails("energy balance"),
        Fails("energy balance of the model"),
    ),
    # --- tables -----------------------------------------------------------------------------------
    lie("half of the tables", ARM, first_half, Refuses("asks for 601")),
    lie("one sample time a little late", ARM, moved_time, Refuses("asks for 601")),
    lie(
        "a value that is no number", ARM, spiked("tau.lift", 300, math.nan), Fails("finite numbers")
    ),
    lie(
        "a value that is no number where nobody looks",
        ARM,
        spiked("tau_error.lift", 300, math.nan),
        Fails("finite numbers", "tau_error.lift"),
    ),
    lie(
        "an infinite reaction",
        ARM,
        spiked("reaction.turn.fz", 5, math.inf),
        Fails("finite numbers"),
    ),
    lie("a model's value that is no number", ARM, spiked("pe", 300, math.nan, "analytic"), Stops()),
    lie("a column less", ARM, without("tau.lift"), Refuses("has no channel 'tau.lift'")),
    lie("a column less of the model", ARM, without("ke", "analytic"), Refuses("same channels")),
    lie("a unit that is another", ARM, unit("tau.wrist", "N·mm"), Fails("units", "tau.wrist")),
    lie("a slide in radians", ARM, unit("q.reach", "rad"), Fails("units", "q.reach")),
    lie(
        "a column that nobody knows",
        ARM,
        more("ke.ghost"),
        Differs("ke.ghost"),
        command="compare",
    ),
)

SAID = (
    # --- a description that was edited; its seal says so ------------------------------------------
    damage("another step", ARM, edited("settings", "dt", value=0.05), Refuses("was edited")),
    damage(
        "another gravity",
        ARM,
        edited("settings", "gravity", value=[0.0, 0.0, -1.62]),
        Refuses("was edited"),
    ),
    damage(
        "tolerances for everything",
        ARM,
        edited("settings", "tolerances", value={"*": 1e9}),
        Refuses("was edited"),
        command="compare",
    ),
    damage("another verdict", ARM, edited("verdict", value="fail"), Refuses("was edited")),
    damage("another method", ARM, edited("method", value="stepped"), Refuses("was edited")),
    damage(
        "another hash of the table",
        ARM,
        edited("files", "recording.parquet", value="0" * 64),
        Refuses("was edited"),
    ),
    damage("another format", ARM, edited("format", value=1), Refuses("of its format")),
    damage("a key that nobody knows", ARM, edited("settings", value={}), Refuses("no description")),
    # --- files as they lie there ------------------------------------------------------------------
    damage("half of a table's file", ARM, cut("recording.parquet"), Refuses("has changed since")),
    damage(
        "one bit of a table", ARM, flipped_bit("analytic.parquet"), Refuses("has changed since")
    ),
    damage("one bit of the robot", ARM, flipped_bit("robot.urdf"), Refuses("has changed since")),
    damage(
        "half of a table's file, sealed anew",
        ARM,
        sealed_with(cut("recording.parquet"), "recording.parquet"),
        Refuses("cannot be read as Parquet"),
    ),
    damage("half of the description", ARM, cut("run.json"), Refuses("cannot be read as JSON")),
    damage("no table of the model", ARM, removed("analytic.parquet"), Refuses("does not exist")),
    damage("no robot", ARM, removed("robot.urdf"), Refuses("does not exist")),
    # --- a description that was sealed anew -------------------------------------------------------
    lie(
        "the verdict of a run that fails",
        ARM,
        told(scaled("tau.wrist", 1.01), described(verdict="pass")),
        Fails("torque", "tau.wrist"),
    ),
    lie(
        "a coarser step, whose limits are wider",
        STEPPED,
        told(scaled("tau.wrist", 1.001), settings(dt=0.05)),
        Refuses("gives a step of"),
    ),
    lie(
        "a method whose limits are wider, beside its baseline",
        ARM,
        told(wrist(1 + 1e-5), described(method="stepped")),
        Differs("tau.wrist"),
        Says("method: ideal → stepped"),
        command="compare",
    ),
    lie(
        "a joint that is said to be free, where limits are wider",
        STEPPED,
        told(wrist(1.0001), settings(free=("turn",))),
        ROBOT,
    ),
    lie(
        "a joint with a motor that is said to be driven",
        "loose adaptive",
        settings(free=("slide",)),
        ROBOT,
    ),
    lie(
        "a joint that is said to be free and is not there",
        STEPPED,
        settings(free=("elbow",)),
        ROBOT,
    ),
    lie(
        "a joint that is said to be free, beside its baseline",
        STEPPED,
        told(wrist(1.0001), settings(free=("turn",))),
        Differs("tau.wrist"),
        Says("free: none → turn"),
        command="compare",
    ),
    lie(
        "corners at every sample, beside its baseline",
        STEPPED,
        told(*CORNERED),
        Differs("tau.lift"),
        command="compare",
    ),
    lie(
        "another gravity, sealed anew",
        ARM,
        settings(gravity=(0.0, 0.0, -1.62)),
        Says("gravity: 0.4 -0.3 -9.7 → 0.0 0.0 -1.62 m/s²"),
        command="compare",
    ),
    lie(
        "a rating that allows the torque",
        ARM,
        told(scaled("tau.lift", 5.0, "both"), joint_facts("lift", effort=None)),
        Fails(TWO_WAYS, "tau.lift"),
    ),
    lie(
        "a rating that is not the robot's",
        ARM,
        joint_facts("lift", effort=1e6),
        Fails("robot"),
    ),
    lie(
        "a range that is too narrow",
        ARM,
        joint_facts("lift", upper=0.0),
        Fails("upper position limit"),
    ),
    lie(
        "an axis that is not the robot's",
        ARM,
        joint_facts("wrist", axis=(0.0, 0.0, 1.0)),
        Fails(TWO_WAYS, "tau.wrist"),
    ),
    lie(
        "a slide that is said to turn",
        ARM,
        joint_facts("reach", kind="revolute"),
        Fails("units", "*.reach"),
    ),
    lie(
        "an event that brought another energy",
        ARM,
        lambda run: run.with_description(events=run.run.events[:1]),
        Fails("energy balance"),
    ),
    lie(
        "another robot beside the run",
        ARM,
        urdf('<mass value="2.0"/>', '<mass value="4.0"/>'),
        Fails("robot"),
    ),
    lie(
        "another robot beside the run, next to its baseline",
        ARM,
        urdf('<mass value="2.0"/>', '<mass value="4.0"/>'),
        Says("link ram mass: 2.0 → 4.0*"),
        command="compare",
    ),
    lie(
        "a mass that is not the robot's",
        ARM,
        masses(ram=2.000001),
        Fails("robot"),
    ),
    lie(
        "a mass less",
        ARM,
        lambda run: run.with_description(robot=msgspec.structs.replace(run.run.robot, masses={})),
        Fails("robot"),
    ),
    lie("a rated speed that is not the robot's", ARM, joint_facts("turn", velocity=1e3), ROBOT),
    lie("a range that is wider", ARM, joint_facts("reach", upper=1.0), ROBOT),
    lie(
        "a link's mass centre beside the run, next to its baseline",
        ARM,
        urdf('<origin xyz="0.2 0.01 -0.02"', '<origin xyz="0.3 0.01 -0.02"'),
        Says("link beam mass centre xyz: 0.2 0.01 -0.02 → 0.3 0.01 -0.02*"),
        command="compare",
    ),
    # --- a joint cut open -------------------------------------------------------------------------
    lie(
        "a reaction of a joint cut open 1e-9 too large",
        ARM,
        scaled("reaction.turn.mx", 1 + 1e-9, "cut_open"),
        Fails(CUT, "reaction.turn.mx"),
    ),
    lie(
        "no number where a joint is cut open",
        ARM,
        spiked("reaction.turn.mx", 3, math.nan, "cut_open"),
        Fails(CUT, "reaction.turn.mx"),
    ),
    lie(
        "a column less of the joints cut open",
        ARM,
        without("reaction.turn.mx", "cut_open"),
        Refuses("has no channel 'reaction.turn.mx'"),
    ),
    damage("no joints cut open", ARM, removed("cut_open.parquet"), Refuses("does not exist")),
    damage("one bit of the joints cut open", ARM, flipped_bit("cut_open.parquet"), CHANGED),
    lie(
        "a moment across a hinge 1 % too large in all tables",
        ARM,
        told(
            scaled("reaction.lift.mx", 1.01, "both"),
            scaled("reaction.lift.mx", 1.01, "cut_open"),
        ),
        Differs("reaction.lift.mx"),
        command="compare",
    ),
    # --- accept -----------------------------------------------------------------------------------
    lie(
        "a scenario that climbs out of its folder",
        ARM,
        described(scenario="../../x"),
        Refuses("not a valid folder name"),
        command="accept",
    ),
    lie(
        "a scenario that is an absolute path",
        ARM,
        described(scenario="/tmp/x"),
        Refuses("not a valid folder name"),
        command="accept",
    ),
    lie(
        "a scenario without a name",
        ARM,
        described(scenario=""),
        Refuses("not a valid folder name"),
        command="accept",
    ),
    lie(
        "a run is accepted that fails",
        ARM,
        told(scaled("tau.wrist", 1.01), described(verdict="pass")),
        Refuses("only a run that passes"),
        command="accept",
    ),
)

TORQUE, TYPED = "recomputed torque", "drive function"
HEAVIER = urdf('<mass value="2.0"/>', '<mass value="2.001"/>')
MOON = settings(gravity=(0.0, 0.0, -1.62))
TILTED = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.8, -0.6, 0.0), (0.0, 0.6, 0.8, 0.0), (0.0, 0.0, 0.0, 1.0))

# What both tables say alike, and the description otherwise: each is sealed anew.
DESCRIBED = (
    lie("another gravity in the description", ARM, MOON, Fails(TORQUE, "tau.lift")),
    lie("another gravity of a stepped run", STEPPED, MOON, Fails(TORQUE, "tau.lift")),
    lie("another gravity of closed loops", BARS, MOON, Fails("recomputed power")),
    lie("another gravity of joints that are free", "loose adaptive", MOON, Fails(TORQUE, "tau.*")),
    lie(
        "another gravity in the description, beside its baseline",
        ARM,
        MOON,
        Differs("*failed its checks*"),
        command="compare",
    ),
    lie(
        "a heavier robot, in the text and in the description",
        ARM,
        told(HEAVIER, masses(ram=2.001)),
        Fails(TORQUE, "tau.lift"),
        Fails("recomputed energy", "ke.ram"),
    ),
    lie(
        "a heavier robot of closed loops, in the text and in the description",
        BARS,
        told(urdf('<mass value="1.5"/>', '<mass value="1.501"/>'), masses(coupler=1.501)),
        Fails("recomputed power"),
    ),
    lie(
        "a heavier robot, in the text and in the description, beside its baseline",
        ARM,
        told(HEAVIER, masses(ram=2.001)),
        Differs("*failed its checks*"),
        command="compare",
    ),
    lie("a robot that is mounted aslant", ARM, robot_facts(T_0b=TILTED), Fails(TORQUE, "tau.lift")),
    lie("drives that stand still", ARM, drives("0*time"), Fails(TYPED, "q.lift")),
    lie(
        "a drive of a velocity 1e-6 faster",
        ARM,
        drives("1.000001*(1.2 + STEP(time, -0.1, 0, 0.4, 2))", "turn"),
        Fails(TYPED, "qd.turn"),
    ),
    lie(
        "a drive of an acceleration with the other sign",
        STEPPED,
        drives("-20*COS(15*time)*EXP(-2*time)", "wrist"),
        Fails(TYPED, "qdd.wrist"),
    ),
    lie(
        "a motor that gives another torque",
        "loose adaptive",
        drives("0.5*time", "hinge"),
        Fails(TYPED, "tau.hinge"),
    ),
    lie(
        "a drive that is told of and was none",
        STEPPED,
        lambda run: run.with_description(drives=run.run.drives[:-1]),
        Fails("held joint", "qd.*"),
    ),
    lie(
        "a torque where there is no motor",
        "loose adaptive",
        lambda run: run.with_description(drives=()),
        Fails("free joint", "tau.hinge"),
    ),
    lie("a recorded table that is the model's", ARM, copied("*"), Fails("independent results")),
    lie(
        "recorded torques that are the model's", ARM, copied("tau.*"), Fails("independent results")
    ),
    lie(
        "a free joint's motion that is the model's",
        "fall adaptive",
        copied("*"),
        Fails("independent results"),
    ),
    lie(
        "potential energy from another height in both tables",
        ARM,
        shifted("pe", 1e-6, "both"),
        Fails("recomputed energy", "pe"),
    ),
    lie(
        "kinetic energies of two links change places in both tables",
        ARM,
        swapped("ke.flange", "ke.ram", "both"),
        Fails("recomputed energy", "ke.ram"),
    ),
    lie("damping that is not the robot's", ARM, joint_facts("reach", damping=3.1), ROBOT),
    lie("friction that is not the robot's", ARM, joint_facts("turn", friction=0.0), ROBOT),
    lie("a gear that is not the robot's", GEAR, robot_facts(coupling=((1.0,), (-1.6,))), ROBOT),
    lie("a leader that is not the robot's", GEAR, joint_facts("output", mimic="other"), ROBOT),
    lie("an event of another mass", ARM, first("events", mass=1.6), ROBOT),
    lie("an event of another link", ARM, first("events", link="hand"), Fails(TORQUE, "tau.*")),
    lie("a box that came earlier", ARM, first("events", t=0.05), Fails(TORQUE, "tau.lift")),
    lie(
        "a law of friction that rubs more",
        ARM,
        friction_law("lift", mu_dynamic=0.201),
        Fails("recomputed friction", "friction.lift"),
    ),
    lie(
        "a spring that is stiffer in the description",
        ARM,
        element("wrist", "spring", stiffness=6.001),
        Fails(TORQUE, "tau.wrist"),
    ),
    lie(
        "a stop that is elsewhere in the description",
        ARM,
        element("reach", "stop", upper=0.021),
        Fails(TORQUE, "tau.reach"),
    ),
    lie(
        "a force that is larger in the description",
        ARM,
        first("forces", force=("20.1*SIN(10*time)", "5", "-8")),
        Fails(TORQUE, "tau.*"),
    ),
    lie("a ground that is higher", ARM, first("contacts", height=0.91), Fails(TORQUE, "tau.lift")),
    lie("no forces at all", ARM, described(forces=()), Fails(TORQUE, "tau.*")),
    # --- what is not there ------------------------------------------------------------------------
    lie(
        "no forces of a joint", ARM, without_any("reaction.turn.f?"), Fails("channels", "*.turn.fx")
    ),
    lie("no tool", ARM, without_any("tool.*"), Fails("channels", "tool.x")),
    lie("no measured reactions", ARM, without_any("measure.*"), Fails("channels", "measure.*")),
    lie("no forces in loops", BARS, without_any("loop.*"), Fails("channels", "loop.*")),
    lie("no energy of a link", ARM, without_any("ke.flange"), Fails("channels", "ke.flange")),
    lie("no work from outside", ARM, without_any("external"), Fails("channels", "external")),
    lie("two instants at which joints are cut open", ARM, few_cut_open(2), Fails(CUT)),
    lie("half of the instants at which joints are cut open", ARM, few_cut_open(20), Fails(CUT)),
    lie(
        "estimated errors of zero",
        STEPPED,
        scaled("tau_error.*", 0.0),
        Fails("estimated error", "tau_error.lift"),
    ),
    lie(
        "an estimated error below zero",
        STEPPED,
        scaled("tau_error.wrist", -1.0),
        Fails("estimated error", "tau_error.wrist"),
    ),
)

COMPARED = (
    lie(
        "a torque 1e-5 too large in both tables",
        ARM,
        scaled("tau.lift", 1.00001, "both"),
        Differs("tau.lift"),
        command="compare",
    ),
    lie(
        "a run that failed",
        ARM,
        described(verdict="fail"),
        Differs("*failed its checks*"),
        command="compare",
    ),
    lie(
        "tolerances for everything, sealed anew",
        ARM,
        told(scaled("tau.lift", 1.01, "both"), settings(tolerances={"*": 1e9})),
        Differs("tau.lift"),
        Says("tolerances: none → * 1000000000.0"),
        command="compare",
    ),
    lie(
        "a spike between two instants that the baseline kept",
        ARM,
        spiked("tau.lift", 303, 1.0, "both"),
        Differs("tau.lift"),
        command="compare",
    ),
    lie(
        "no number between two instants that the baseline kept",
        ARM,
        spiked("tau.lift", 303, math.nan, "both"),
        Differs("tau.lift"),
        command="compare",
    ),
    lie(
        "a spike in a measured reaction between two instants that the baseline kept",
        ARM,
        spiked("measure.held.fz", 303, 1.0, "both"),
        Differs("measure.held.fz"),
        command="compare",
    ),
    lie(
        "no number at an instant that the baseline kept",
        ARM,
        spiked("tau.lift", 301, math.nan, "both"),
        Differs("tau.lift"),
        command="compare",
    ),
    lie(
        "a channel less",
        ARM,
        without("reaction.turn.fx"),
        Differs("reaction.turn.fx"),
        command="compare",
    ),
    lie(
        "a unit that is not the baseline's",
        ARM,
        unit("tau.wrist", "N·mm"),
        Differs("tau.wrist: unit N·mm, in the reference N·m"),
        command="compare",
    ),
    lie(
        "a baseline of another scenario",
        ARM,
        described(scenario="swing"),
        Refuses("has no baseline"),
        command="compare",
    ),
    # --- baselines: their description -------------------------------------------------------------
    baseline("labelled another scenario", ARM, of_baseline(scenario="swing"), EDITED),
    baseline(
        "labelled another scenario, sealed anew",
        ARM,
        of_baseline(scenario="swing", sealed_anew=True),
        Refuses("belongs to 'swing'"),
    ),
    baseline("a baseline of another format", ARM, of_baseline(format=1), Refuses("format")),
    baseline(
        "noise that allows everything", ARM, of_baseline(noise={"tau.lift": 1e3}), EDITED, lie=WIDE
    ),
    baseline(
        "noise that allows everything, sealed anew",
        ARM,
        of_baseline(noise={"tau.lift": 1e3}, sealed_anew=True),
        Differs("tau.lift"),
        lie=WIDE,
    ),
    baseline(
        "limits that allow everything", ARM, of_baseline(limits={"tau.lift": 1e3}), EDITED, lie=WIDE
    ),
    baseline(
        "limits that allow everything, sealed anew",
        ARM,
        of_baseline(limits={"tau.lift": 1e3}, sealed_anew=True),
        Differs("tau.lift"),
        lie=WIDE,
    ),
    baseline(
        "another digest, sealed anew",
        ARM,
        of_baseline(digest="0" * 64, sealed_anew=True),
        Says("rounding"),
    ),
    baseline(
        "another gravity of a baseline, sealed anew",
        ARM,
        baseline_settings(gravity=[0.0, 0.0, -1.62]),
        Says("gravity: 0.0 0.0 -1.62 → 0.4 -0.3 -9.7 m/s²"),
    ),
    baseline(
        "a baseline of another duration, sealed anew",
        ARM,
        baseline_settings(duration=0.6),
        Refuses("gives a step of"),
    ),
    baseline("a ledger without its entries", ARM, of_baseline(ledger=[]), EDITED),
    baseline(
        "a ledger without its entries, sealed anew",
        ARM,
        of_baseline(ledger=[], sealed_anew=True),
        Refuses("or no reviewer"),
    ),
    baseline("half of a baseline's description", ARM, cut(BASELINE), Refuses("cannot be read")),
    baseline(
        "half of a baseline's description, and its ledger goes on",
        ARM,
        cut(BASELINE),
        Refuses("it is not overwritten"),
        command="accept",
    ),
    baseline(
        "a ledger that is none, and goes on",
        ARM,
        of_baseline(ledger="a good one"),
        Refuses("it is not overwritten"),
        command="accept",
    ),
    baseline("no description of a baseline", ARM, removed(BASELINE), Refuses("has no baseline")),
    # --- baselines: their files -------------------------------------------------------------------
    baseline("a baseline without its curves", ARM, baseline_file("curves", removed), MISSING),
    baseline("a baseline without its instants", ARM, baseline_file("instants", removed), MISSING),
    baseline("a baseline without its robot", ARM, baseline_file("robot", removed), MISSING),
    baseline("one bit of a curve", ARM, baseline_file("curves", flipped_bit), ACCEPTED),
    baseline("half of the instants", ARM, baseline_file("instants", cut), ACCEPTED),
    baseline("one bit of a baseline's robot", ARM, baseline_file("robot", flipped_bit), ACCEPTED),
    baseline(
        "a file that is elsewhere",
        ARM,
        of_baseline(
            files={kind: f"../{kind}-0.parquet" for kind in ("curves", "instants", "robot")},
            sealed_anew=True,
        ),
        Refuses("which is not a file in that folder"),
    ),
    baseline(
        "curves that were edited",
        ARM,
        baseline_curves(lambda table: 1.001 * table, hashed=False),
        ACCEPTED,
    ),
    baseline(
        "other curves, sealed anew",
        ARM,
        baseline_curves(lambda table: 1.001 * table),
        Differs("tau.lift"),
    ),
    baseline(
        "instants that were edited",
        ARM,
        baseline_instants(lambda table: 1.001 * table, hashed=False),
        ACCEPTED,
    ),
    baseline(
        "other instants, sealed anew",
        ARM,
        baseline_instants(lambda table: 1.001 * table),
        Differs("tau.lift"),
    ),
    baseline(
        "no number in the instants",
        ARM,
        baseline_instants(lambda t: t * math.nan),
        Differs("tau.*"),
    ),
    baseline(
        "curves of two rows",
        ARM,
        baseline_curves(lambda table: table.iloc[[0, -1]]),
        Refuses("has 2 samples, and its description asks for 601"),
    ),
    baseline(
        "the first half of the curves",
        ARM,
        baseline_curves(lambda table: table.iloc[: len(table) // 2]),
        Refuses("has 300 samples"),
    ),
    baseline(
        "a baseline of two rows that says so",
        ARM,
        both_damaged(
            baseline_curves(lambda table: table.iloc[[0, -1]]),
            baseline_settings(samples=2),
            baseline_instants(lambda table: table.iloc[[0, -1]]),
        ),
        Refuses("step"),
        lie=spiked("tau.lift", 302, 1.0, "both"),
    ),
    baseline(
        "curves that lack a new channel",
        ARM,
        baseline_curves(lambda table: table.drop(columns="spring.wrist")),
        Refuses("has different channels than"),
    ),
    baseline(
        "curves with a channel that the run lacks",
        ARM,
        baseline_curves(lambda table: table.assign(**{"tau.ghost": 1.0})),
        Refuses("has different channels than"),
    ),
    baseline(
        "instants that lack a channel",
        ARM,
        baseline_instants(lambda table: table.drop(columns="spring.wrist")),
        Refuses("has different channels than"),
    ),
)

ROWS = (*RECORDED, *SAID, *DESCRIBED, *COMPARED)
