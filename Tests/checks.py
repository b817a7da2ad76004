"""Checks of a test program: each is printed, and those that do not hold are kept. A port for its servers."""

import socket

failures = []


def check(name, holds, seen=""):
    print(("ok   " if holds else "FAIL ") + name + (f": {str(seen)[:600]}" if not holds else ""), flush=True)
    if not holds:
        failures.append(name)


def free_port():
    """A port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
