"""A child process that heeds signals, whatever this one was told by who started it."""

import signal


def heeding_signals() -> None:
    """A shell that starts the tests in the background, or nohup, has them ignore some."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
