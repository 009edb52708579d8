"""What compares runs: each row makes it blind for something that is said today.

As with limits, only the pair is tried: the sound program says it of a run or a baseline that is not
what it seems, the changed one does not.
"""

import math

from tests.mutations.lies import (
    baseline_file,
    described,
    flipped_bit,
    honest,
    late,
    more,
    of_baseline,
    scaled,
    settings,
    shortened,
    spiked,
    told,
    unit,
    urdf,
    without,
)
from tests.mutations.mutation import Differs, Refuses, Says, comparison

ARM, STEPPED = "arm ideal", "arm stepped"

FINE = scaled("tau.lift", 1 + 1e-8, "both")  # inside tolerance, and more than rounding
ONE_INSTANT = spiked("tau.lift", 301, 1e-6, "both")  # far below a step of the kept curve
COARSE = scaled("tau.lift", 1.001, "both")
LOUD = of_baseline(noise={"tau.lift": 1e3})

STRICT_FIRST = """
[[rule]]
channels = "tau.lift"
relative = 1e-6
reason = "it matters"

[[rule]]
channels = "tau.*"
relative = 0.1
reason = "the others do not"
"""
OF_ANOTHER = """
[[rule]]
channels = "tau.*"
relative = 0.1
scenario = "swing"
reason = "it swings as it likes"
"""
IN_ANOTHER_UNIT = """
[[rule]]
channels = "tau.lift"
absolute = 100.0
unit = "N·mm"
reason = "a tenth of a newton metre"
"""

LIMITS = (
    comparison("limits a thousandfold", "comparison.RTOL", "1e-6", "1e-3", ARM,
        scaled("tau.lift", 1.00001, "both"), Differs("tau.lift")),
    comparison("limits by the largest channel of a group", "comparison._Pair._limit",
        "max(self.peaks[one] for one in every)",
        "max(p for c, p in self.peaks.items() if c[:3] == channel[:3])", ARM,
        scaled("tau.wrist", 1.00001, "both"), Differs("tau.wrist")),
    comparison("noise a thousandfold", "comparison.PEAK", "10.0", "1e4", STEPPED, FINE,
        Says("tolerance")),
    comparison("noise counts as a bend", "comparison.MOST_NOISE", "1e-7", "1e-12", STEPPED,
        scaled("tau.lift", 1 + 2e-10, "both"), Says("rounding")),
    comparison("sums that round a thousand times as much", "comparison.SUMS", "1e-10", "1e-7", ARM,
        FINE, Says("tolerance")),
    comparison("sums that do not round", "comparison.SUMS", "1e-10", "0.0", ARM,
        scaled("tau.lift", 1 + 5e-11, "both"), Says("rounding")),
    comparison("motion that is none a thousandfold", "comparison.AT_REST", "1e-9", "1e-6", ARM,
        scaled("q.wrist", 1 + 1e-6, "both"), Says("tolerance")),
    comparison("tolerances of the run count", "comparison._Pair._limit",
        "self.baseline.run.settings.tolerances", "self.run.run.settings.tolerances", ARM,
        told(COARSE, settings(tolerances={"*": 1e9})), Differs("tau.lift")),
    comparison("what methods may be apart counts for one method too", "comparison._Pair._limit",
        "not self.is_alike", "True", STEPPED, scaled("tau.lift", 1 + 3e-6, "both"),
        Differs("tau.lift")),
    comparison("corners are wide for one method too", "comparison._Pair._size",
        "np.zeros_like(self.corner) if self.is_alike else self.corner", "self.corner", STEPPED,
        spiked("tau.lift", 200, 1e-3), Differs("tau.lift")),
    comparison("every step is alike", "comparison._is_alike",
        "(run.method, run.engine) == (reference.method, reference.engine) and same_step",
        "(run.method, run.engine) == (reference.method, reference.engine) or same_step", ARM,
        told(honest, described(method="stepped")), Says("rounding")),
)  # fmt: skip

KEPT = (
    comparison("kept curves in steps as wide as fifty limits", "comparison.STEPS", "8", "0.02", ARM,
        spiked("tau.lift", 303, 1e-3, "both"), Differs("tau.lift")),
    comparison("a hundred steps of a kept curve are forgiven", "comparison._Pair._size",
        "0.5 * _length(steps)", "100 * _length(steps)", ARM, spiked("tau.lift", 303, 5e-4, "both"),
        Differs("tau.lift")),
    comparison("steps of a kept curve are not forgiven", "comparison._Pair._size",
        "size - 0.5 * _length(steps)", "size", ARM, scaled("ke.ram", 1 + 1e-12, "both"),
        Says("rounding")),
    comparison("instants to the last bit are not looked at", "comparison._Pair._size",
        "_length(difference(mine[:, rows], exact[:, sharp]))",
        "0 * _length(difference(mine[:, rows], exact[:, sharp]))", ARM, ONE_INSTANT,
        Says("tolerance")),
    comparison("next to no instants to the last bit", "comparison.KEPT_INSTANTS", "100", "1", ARM,
        ONE_INSTANT, Says("tolerance")),
    comparison("kept curves are summed once too little", "comparison.read_compact", "range(ORDER)",
        "range(ORDER - 1)", ARM, honest, Says("bit")),
    comparison("a kept file that was edited", "comparison._unchanged_file",
        'sha256(path)[:16] != Path(name).stem.rpartition("-")[2]',
        'sha256(path)[:0] == Path(name).stem.rpartition("-")[2]', ARM, honest,
        Refuses("has changed since it was accepted"), damage=baseline_file("robot", flipped_bit)),
    comparison("a kept description that was edited", "recording.read_sealed",
        "seal != described.seal", "not seal", ARM, COARSE, Refuses("was edited since"),
        damage=LOUD),
    comparison("the baseline of another scenario", "comparison.read_baseline",
        "run.scenario != folder.resolve().name", "not run.scenario", ARM, honest,
        Refuses("belongs to 'swing'"), damage=of_baseline(scenario="swing", sealed_anew=True)),
    comparison("a ledger without entries", "comparison.read_baseline",
        "not run.ledger or set(run.files) != {CURVES, INSTANTS, ROBOT}",
        "set(run.files) != {CURVES, INSTANTS, ROBOT}", ARM, honest, Refuses("or no reviewer"),
        damage=of_baseline(ledger=[], sealed_anew=True)),
)  # fmt: skip

SAME = (
    comparison("a digest that leaves a channel out", "comparison.sameness.digest",
        "group_of(channel).is_compared", 'group_of(channel).is_compared and channel != "tau.lift"',
        ARM, scaled("tau.lift", 1 + 2**-50), Says("rounding")),
    comparison("a digest of names only", "comparison.sameness.digest",
        'found.update(np.ascontiguousarray(table[channel].to_numpy(dtype="<f8")).tobytes())',
        'hash(np.ascontiguousarray(table[channel].to_numpy(dtype="<f8")).tobytes())', ARM,
        scaled("ke.ram", 1 + 2**-50), Says("rounding")),
    comparison("what is no number differs by nothing", "comparison._Pair._size",
        "np.where(np.isnan(size), np.inf, size)", "np.nan_to_num(size)", ARM,
        spiked("tau.lift", 303, math.nan, "both"), Differs("tau.lift")),
    comparison("channels less", "comparison.difference.compare",
        "all(d.ok for d in differences) and not pair.missing and not pair.new and whole",
        "all(d.ok for d in differences) and not pair.new and whole", ARM,
        without("reaction.turn.fx"), Differs("reaction.turn.fx")),
    comparison("channels more", "comparison.difference.compare",
        "all(d.ok for d in differences) and not pair.missing and not pair.new and whole",
        "all(d.ok for d in differences) and not pair.missing and whole", ARM, more("ke.ghost"),
        Differs("ke.ghost")),
    comparison("a run that failed", "comparison._notes", 'run.run.verdict == "fail"',
        'run.run.verdict == "fails"', ARM, described(verdict="fail"),
        Differs("the run itself failed its checks")),
    comparison("another duration", "comparison._notes", "abs(mine - theirs) > SAME_TIME",
        "abs(mine - theirs) > 1.0", ARM, shortened,
        Differs("duration of the run 0.15 s, of the reference 0.3 s")),
    comparison("another unit", "comparison._notes", "units.get(channel, unit) != unit", "not unit",
        ARM, unit("tau.wrist", "N·mm"), Differs("tau.wrist: unit N·mm*")),
)  # fmt: skip

WORDS = (
    comparison("the last rule that fits holds", "comparison.rule_for",
        "(rule for rule in rules if fnmatchcase(channel, rule.channels))",
        "(rule for rule in rules[::-1] if fnmatchcase(channel, rule.channels))", ARM, COARSE,
        Differs("tau.lift"), rules=STRICT_FIRST),
    comparison("rules hold for all scenarios", "comparison.rules_for",
        "fnmatchcase(scenario, rule.scenario)", "fnmatchcase(scenario, '*')", ARM, COARSE,
        Differs("tau.lift"), rules=OF_ANOTHER),
    comparison("a rule's unit is not looked at", "comparison.rules_for", "units[name] != rule.unit",
        "not units[name]", ARM, COARSE, Refuses("tau.lift is in N·m, but the rule has N·mm"),
        rules=IN_ANOTHER_UNIT),
    comparison("a shift in time has the other sign", "comparison._best.remainder", "at - seconds",
        "at + seconds", ARM, late("q.*", 10, "both"), Says("the run is 5 ms later; *")),
    comparison("a shift in time must explain everything", "comparison.EXPLAINED", "0.05", "0.0",
        ARM, late("q.*", 10, "both"), Says("the run is 5 ms later; *")),
    comparison("a shift in time is told in seconds", "comparison.Shift.text",
        "1e3 * abs(self.seconds)", "1e0 * abs(self.seconds)", ARM, late("q.*", 10, "both"),
        Says("the run is 5 ms later; *")),
    comparison("gravity is not told", "comparison.SETTINGS",
        "{'duration': 's', 'dt': 's', 'gravity': 'm/s²', 'free': '', 'passive': '', "
        "'path_tolerance': 'm', 'tolerances': ''}",
        "{'duration': 's', 'dt': 's', 'free': '', 'passive': '', 'path_tolerance': 'm', "
        "'tolerances': ''}",
        ARM, settings(gravity=(0.0, 0.0, -1.62)),
        Says("gravity: 0.4 -0.3 -9.7 → 0.0 0.0 -1.62 m/s²")),
    comparison("a change of the robot is told the other way round",
        "comparison.changed_inputs.changed_robot", "_parts(old), _parts(new)",
        "_parts(new), _parts(old)", ARM, urdf('<mass value="2.0"/>', '<mass value="4.0"/>'),
        Says("link ram mass: 2.0 → 4.0*")),
    comparison("mass centres are not told", "comparison.TELLING",
        "('inertial/mass', 'inertial/origin', 'inertial/inertia', 'origin', 'axis', "
        "'parent', 'child', 'limit', 'dynamics', 'mimic')",
        "('inertial/mass', 'inertial/inertia', 'origin', 'axis', 'parent', 'child', "
        "'limit', 'dynamics', 'mimic')",
        ARM, urdf('<origin xyz="0.2 0.01 -0.02"', '<origin xyz="0.3 0.01 -0.02"'),
        Says("link * mass centre xyz: 0.2 0.01 -0.02 → 0.3 0.01 -0.02*")),
)  # fmt: skip

ROWS = (*LIMITS, *KEPT, *SAME, *WORDS)
