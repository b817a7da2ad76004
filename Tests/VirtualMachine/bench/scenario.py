"""Scenarios: modules of `scenarios/` and `thorough/`, each with a docstring and `async def run(home)`.

A module may say `MODES`, if it makes sense in one mode only; `SYSTEMD = True`, if it needs a guest
with systemd; and `LIMIT`, in seconds on an idle host, if it takes longer than two minutes. What `run`
returns are the figures that it found.
"""

import importlib
from dataclasses import dataclass
from types import ModuleType

from .settings import VM_HOME

MODES = ("bluetoothd", "kernel")


@dataclass
class Scenario:
    """One module."""

    name: str
    module: ModuleType

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes in which it makes sense."""
        return getattr(self.module, "MODES", MODES)

    @property
    def systemd(self) -> bool:
        """Whether systemd has to be the guest's first process."""
        return getattr(self.module, "SYSTEMD", False)

    @property
    def limit(self) -> float:
        """How long it may take, in seconds."""
        return getattr(self.module, "LIMIT", 120)

    def fits(self, mode: str, systemd: bool) -> bool:
        """Whether it is one for this mode and this kind of guest."""
        return mode in self.modes and self.systemd == systemd


def scenarios(only: str | None = None, thorough: bool = False) -> list[Scenario]:
    """Those that are named, with commas; else those of every run, and with `thorough` the long ones."""
    named = only.split(",") if only else None
    folders = ("scenarios", "thorough") if thorough or only else ("scenarios",)
    return [
        Scenario(path.stem, importlib.import_module(f"{folder}.{path.stem}"))
        for folder in folders
        for path in sorted((VM_HOME / folder).glob("*.py"))
        if path.stem != "__init__" and (named is None or path.stem in named)
    ]
