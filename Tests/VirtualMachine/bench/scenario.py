"""Scenarios: modules of `scenarios/`, each with a docstring and `async def run(home)`.

A module may say `MODES`, if it makes sense in one mode only; `SYSTEMD = True`, if it needs a guest
with systemd; and `LIMIT`, in seconds, if it takes longer than two minutes.
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


def scenarios(only: str | None = None, folder: str = "scenarios") -> list[Scenario]:
    """Those of a folder, or the one that is named."""
    names = sorted(path.stem for path in (VM_HOME / folder).glob("*.py"))
    return [
        Scenario(name, importlib.import_module(f"{folder}.{name}"))
        for name in names
        if name != "__init__" and only in (None, "", name)
    ]
