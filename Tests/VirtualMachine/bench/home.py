"""What a scenario is given: a guest with a radio, the daemon in it, and sensors around it."""

import asyncio
import shutil
import time
from pathlib import Path
from typing import Protocol, TypeVar

from . import pace
from .bluez import Bluetoothd
from .link import Air
from .machine import GuestError, Machine
from .measured import STATE, Measured
from .radio import Controllers
from .settings import VM_WORK
from .unit import Unit


class Sensor(Protocol):
    """What can be put on the air; `history` is what it says for the log of a failed scenario."""

    history: list[str]

    async def join(self, air: Air) -> None: ...

    async def leave(self) -> None: ...


P = TypeVar("P", bound=Sensor)


class Home:
    """One guest that lives through several scenarios; `fresh` resets it before each."""

    def __init__(self, folder: Path, mode: str, systemd: bool = False):
        self.folder = folder
        self.mode = mode
        self.systemd = systemd
        self.air = Air()
        self.machine = Machine(folder, controllers=2, systemd=systemd)
        self.controllers = Controllers(self.air, self.machine)
        self.bluetoothd = Bluetoothd(self.machine)
        self.measured = Unit(self.machine, mode) if systemd else Measured(self.machine, mode)
        self.peripherals: list[Sensor] = []

    async def open(self) -> None:
        """Boots the guest."""
        await self.machine.boot()
        await self.controllers.attach()
        await self.machine.run(f"{VM_WORK}/bin/hcimon >>/run/hci.txt 2>&1 & echo $! >/run/hcimon")

    async def close(self) -> None:
        """Ends the guest; the sensors see their links end."""
        await self.controllers.detach()
        await self.machine.halt()

    async def end(self) -> None:
        """Ends the guest, and switches the sensors off."""
        await self.clear()
        await self.close()

    async def clear(self) -> None:
        """Takes every sensor off the air."""
        for peripheral in self.peripherals:
            await peripheral.leave()
        self.peripherals.clear()

    async def fresh(self) -> None:
        """Nothing of an earlier scenario is left: no sensor, no bond, no log."""
        await self.clear()
        await pace.measure(self.machine.run)
        if self.measured.running:
            await self.measured.kill()
        await self.machine.run(
            "for job in /run/job.*; do kill $(<$job); rm $job; done 2>/dev/null; true"
        )
        if self.systemd:
            await self.machine.run("systemctl stop bluetooth; true")
        else:
            await self.bluetoothd.stop("KILL")
        await self.bluetoothd.forget_everything()
        # The kernel's keys and accept list go with the controller.
        await self.controllers.unplug(1)
        await self.controllers.unplug(0)
        await self.machine.run("dmesg -C; for log in hci.txt bluetoothd.log; do : >/run/$log; done")
        await self.controllers.plug(0)
        if self.mode == "bluetoothd" and self.systemd:
            await self.machine.run("systemctl start bluetooth")
        elif self.mode == "bluetoothd":
            await self.bluetoothd.start()

    async def place(self, peripheral: P) -> P:
        """Puts a sensor on the air, asleep."""
        await peripheral.join(self.air)
        self.peripherals.append(peripheral)
        return peripheral

    async def begin(self, plan: str = "home", definitions: tuple[str, ...] = ()) -> None:
        """Makes an empty store with a plan, and starts the daemon."""
        await self.measured.make_store(plan, definitions)
        await self.measured.start()

    async def reboot(self) -> None:
        """Ends the guest and boots it again, with the files that a disk would have kept."""
        kept = "measured-bench bluetooth"
        await self.measured.stop()
        await self.machine.run(f"rm -f /out/kept.tar; cd /var/lib; tar cf /out/kept.tar {kept}")
        await self.close()
        await self.open()
        await self.machine.run("tar xf /out/kept.tar -C /var/lib")
        await self.controllers.plug(0)
        if self.mode == "bluetoothd":
            await self.bluetoothd.start()

    async def completed(self, task: str, seconds: float = 60) -> dict:
        """Waits until today's event of a task is completed; gives the event."""
        limit = time.monotonic() + pace.limit(seconds)
        while not (event := await self.measured.event(task))["completed"]:
            if time.monotonic() > limit:
                raise AssertionError(f"{task} is not completed within {seconds} s: {event}")
            await asyncio.sleep(0.5)
        return event

    async def weights(self) -> list[float]:
        """The stored weights that are assigned, oldest first, in kg."""
        samples = await self.measured.samples("bodyMass")
        return [sample["value"] for sample in samples if sample.get("patient")]

    async def settled(self) -> None:
        """What must hold at a scenario's end: the daemon is alive, and ends when it is asked."""
        if self.measured.running:
            assert await self.measured.alive(), "measured ended by itself"
            await self.measured.stop()
        # Of any program: bluetoothd has to survive what the daemon does.
        bugs = await self.machine.run("dmesg | grep -E 'BUG|Oops|segfault' || true")
        assert not bugs, f"the kernel says: {bugs}"

    async def keep_logs(self, folder: Path) -> None:
        """Stores everything that shows why a scenario failed."""
        folder.mkdir(parents=True, exist_ok=True)
        try:
            await self.measured.fetch_log()
            await self.machine.run(
                f"cp /run/hci.txt /run/bluetoothd.log /out; dmesg >/out/dmesg.log; ls -la {STATE} >/out/state.log"
            )
        except GuestError as error:
            (folder / "guest.log").write_text(str(error))
        for source in [*self.folder.glob("*.log"), self.folder / "hci.txt", self.folder / "walk.jsonl"]:
            if source.exists():
                shutil.copy(source, folder)
        history = [line for peripheral in self.peripherals for line in peripheral.history]
        (folder / "peripherals.log").write_text("\n".join(sorted(history)) + "\n")


async def eventually(condition, what: str, seconds: float = 30) -> None:
    """Waits until a condition of the host's side holds."""
    limit = time.monotonic() + pace.limit(seconds)
    while not condition():
        assert time.monotonic() < limit, f"Not within {seconds} s: {what}"
        await asyncio.sleep(0.02)


async def within(event: asyncio.Event, what: str, seconds: float = 60) -> None:
    """Waits for something that a sensor notices."""
    try:
        await asyncio.wait_for(event.wait(), pace.limit(seconds))
    except TimeoutError:
        raise AssertionError(f"Not within {seconds} s: {what}") from None


def same(found, expected) -> None:
    """Both, where they differ; a bare assertion would only show its own text."""
    assert found == expected, f"{found} is not {expected}"
