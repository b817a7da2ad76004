"""Checks of a test program: each is printed, and those that do not hold are kept."""

failures = []


def check(name, holds, seen=""):
    print(("ok   " if holds else "FAIL ") + name + (f": {str(seen)[:600]}" if not holds else ""), flush=True)
    if not holds:
        failures.append(name)
