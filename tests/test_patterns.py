"""Regular expressions: work in proportion to a text, whatever the text is.

Measured is CPU time in a process of its own. What backtracks without an end takes it to its limit;
what takes work as the square of a text is some thousand times slower on a long one than it may be.
"""

import re
import signal
import subprocess
import sys
import time

import pytest

from sim.functions.grammar import GRAMMAR, QUOTED
from sim.robots import xacro_file
from tests.helpers.patterns import Pattern, attacks, grown, patterns

SHORT, LONG = 1_000, 10_000  # characters
SUSPICIOUS = 150e-6  # seconds of a short text: one walk over it takes some ten microseconds
MOST = 0.1  # seconds of a long text: one walk takes some 0.3 ms, its square over a quarter second
CPU_SECONDS = 60  # of all expressions; they take about three

# Where the expression is no constant: it is one of a table.
TABLES = {
    "robots/xacro_file.py": [form for form, _ in xacro_file._QUOTED],
    "functions/grammar.py": [GRAMMAR, QUOTED],
}

# What took for ever, or the square of a text, where an expression of today stands.
FORMER = {
    "comments before <robot>": r"(?P<blanks>\s*(?:<!--.*?-->\s*)*)<\?xml\b(?P<told>[^<>]*?)\?>",
    "digits before a letter": r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?",
    "blanks in a default": r"\$\(optenv\s+\w+\s+([^$()]*)\)",
}


def slow(pattern):
    """The first text that takes too long, and how."""
    for method in sorted(pattern.methods):
        _say(f"in {pattern.place} {method} {pattern.text}")
        for attack in attacks(pattern):
            short = grown(attack, SHORT)
            # the least of three: another process beside this one makes a single one longer
            if all(_seconds(pattern, method, short) > SUSPICIOUS for _ in range(3)):
                _say(f"at {pattern.place} {method} {pattern.text}: {attack}")
                taken = _seconds(pattern, method, grown(attack, LONG))
                if taken > MOST:
                    return f"{pattern.place} {method} {pattern.text} takes {taken:.1f} s: {attack}"
    return ""


def _say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _seconds(pattern, method, text):
    begun = time.process_time()
    pattern.asked(method, text)
    return time.process_time() - begun


def in_another_process(what, seconds):
    """The last line of a process that may take so many seconds of CPU time once it has begun."""
    begin = f"from tests import test_patterns as here; here.limit({seconds})"
    done = subprocess.run(
        [sys.executable, "-c", f"{begin}; {what}"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    last = done.stdout.rstrip().rpartition("\n")[2]
    assert done.returncode in (0, -signal.SIGPROF), last
    return f"no end {last}" if done.returncode else last


def limit(seconds):
    """From now on this process may take so many seconds of CPU time; then SIGPROF ends it."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def all_slow():
    """What of `sim/` takes too long, in one line."""
    others = patterns(TABLES)
    _say(str([told for pattern in others if (told := slow(pattern))]))


def one_slow(text):
    """What of one expression takes too long."""
    _say(slow(Pattern("here", text, re.DOTALL, frozenset({"fullmatch"}))))


def test_every_expression_takes_work_in_proportion_to_a_text():
    assert in_another_process("here.all_slow()", CPU_SECONDS) == "[]"


@pytest.mark.parametrize("text", FORMER.values(), ids=FORMER)
def test_an_expression_that_takes_more_is_found(text):
    told = in_another_process(f"here.one_slow({text!r})", 0.4)
    assert " takes " in told or told.startswith("no end")
