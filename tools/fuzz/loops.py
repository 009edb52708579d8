"""Fuzzing loops: guided by code coverage (atheris), or by new outcomes."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tools.fuzz.limits import TooLarge, TooLong, limited
from tools.fuzz.shrinking import shrunk
from tools.fuzz.target import Target, file_name, signature

POOL = 400  # inputs that are mutated further


@dataclass
class Tally:
    """Inputs tried, and findings.

    Parameters
    ----------
    target : Target
    keep : Path
        Folder in which the inputs of findings are written.
    until : float
        Time to end, by `time.monotonic`.
    """

    target: Target
    keep: Path
    until: float
    began: float = field(default_factory=time.monotonic)
    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    found: dict[str, Path] = field(default_factory=dict)
    told: float = field(default_factory=time.monotonic)
    slowest: float = 0.0

    def attempt(self, data: bytes) -> bool:
        """Try an input; return whether its outcome is new."""
        current = self.keep / f".current-{os.getpid()}"
        current.write_bytes(data)  # remains after a crash of the process
        began = time.process_time()
        outcome, error = _outcome(self.target, data)
        took = time.process_time() - began
        if took > self.slowest:
            self.slowest = took
            (self.keep / "slowest").write_bytes(data)
        if error is not None and outcome not in self.found:
            self.found[outcome] = self._kept(data, outcome, error)
        self.tried += 1
        self.outcomes[outcome] += 1
        if time.monotonic() - self.told > 60:
            self.told = time.monotonic()
            sys.stderr.write(self.line() + "\n")
        return self.outcomes[outcome] == 1

    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.until

    def _kept(self, data: bytes, outcome: str, error: BaseException) -> Path:
        if not isinstance(error, TooLong | TooLarge):
            data = shrunk(self.target, data, lambda d: _outcome(self.target, d)[0] == outcome)
        path = self.keep / f"{file_name(outcome)}{self.target.suffix}"
        path.write_bytes(data)
        sys.stderr.write(f"found: {outcome}\n  {error}\n  {path}\n  {data[:1500]!r}\n")
        return path

    def line(self) -> str:
        """Return the figures in one line."""
        minutes = (time.monotonic() - self.began) / 60
        return (
            f"{self.target.name}: {self.tried} inputs in {minutes:.1f} min, "
            f"{len(self.outcomes)} outcomes, slowest {self.slowest:.1f} s, "
            f"{len(self.found)} findings"
        )

    def closed(self) -> int:
        """Print the result; return status 1 if something was found."""
        (self.keep / f".current-{os.getpid()}").unlink(missing_ok=True)
        report = {"target": self.target.name, "inputs": self.tried,
                  "outcomes": dict(self.outcomes.most_common())}  # fmt: skip
        (self.keep / "outcomes.json").write_text(json.dumps(report, indent=1), "utf-8")
        sys.stderr.write(self.line() + "\n")
        for outcome, path in self.found.items():
            sys.stderr.write(f"  {outcome}: {path}\n")
        return int(bool(self.found))


def _outcome(target: Target, data: bytes) -> tuple[str, BaseException | None]:
    """Return the outcome, and the error of a finding."""
    try:
        with limited():
            return target.tried(data), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return signature(error), error


def plain(tally: Tally, seed: str, most: int | None = None) -> int:
    """Mutate seeds, and mutants with a new outcome."""
    chance = random.Random(seed)
    pool = tally.target.seeds()
    for data in pool:
        if not tally.over():
            tally.attempt(data)
    while not tally.over() and (most is None or tally.tried < most):
        # half of them from recent new outcomes
        recent = pool[-30:] if chance.random() < 0.5 else pool
        data = tally.target.mutated(chance.choice(recent), chance)
        if tally.attempt(data):
            pool.append(data)
            if len(pool) > POOL:
                del pool[chance.randrange(POOL // 2)]
    return tally.closed()


def guided(make: Callable[[], Target], tally_of: Callable[[Target], Tally], seed: str) -> None:
    """Let atheris choose by the branches of `sim` that an input reaches; does not return."""
    import atheris

    with atheris.instrument_imports(include=["sim"]):
        target = make()
        for data in target.seeds():  # triggers lazy imports
            _outcome(target, data)
    tally = tally_of(target)
    corpus = tally.keep / "corpus"
    corpus.mkdir(exist_ok=True)
    for k, data in enumerate(target.seeds()):
        (corpus / f"seed-{k}").write_bytes(data)

    def one(data: bytes) -> None:
        if tally.over():
            status = tally.closed()
            sys.stderr.flush()
            os._exit(status)
        tally.attempt(data)

    def mutated(data: bytes, longest: int, number: int) -> bytes:
        chance = random.Random(number)
        if chance.random() < 0.2 and target.suffix != ".json":
            return bytes(atheris.Mutate(data, longest))
        return target.mutated(data, chance)[:longest]

    options = "-timeout=10000 -rss_limit_mb=0 -max_len=40000 -verbosity=0 -len_control=0".split()
    options.append(f"-artifact_prefix={tally.keep}/")
    number = f"-seed={random.Random(seed).randrange(1, 2**31)}"
    atheris.Setup([sys.argv[0], *options, number, str(corpus)], one, custom_mutator=mutated)
    atheris.Fuzz()
