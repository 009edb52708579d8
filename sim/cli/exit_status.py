"""Exit statuses of the command.

`WELL`
    Success.
`WANTING`
    A result failed: a check, a difference, an audit error, a pose out of reach.
`MISUSE`
    Misuse, bad input, a file that cannot be read or written, or a bug in the program; there is no
    result.
`ENGINE`
    Engine failure.
`INTERRUPTED`
    Ctrl-C. As in a shell, any signal that stops the command gives `SIGNALLED` plus its number: 143
    for SIGTERM, 129 for SIGHUP.
"""

WELL, WANTING, MISUSE, ENGINE = 0, 1, 2, 3
SIGNALLED = 128
INTERRUPTED = SIGNALLED + 2
