"""Sensors that others have written, as they are in their packages."""

import asyncio
import shutil
import socket
import sys
import time
from pathlib import Path

from bumble.transport import open_transport

from bench.link import Air, AirController
from bench.machine import Machine
from bench.radio import Controllers
from bench.settings import VM_WORK

STRANGERS = VM_WORK / "strangers"
BUMBLE = STRANGERS / "bumble/examples"
BLUEZ = STRANGERS / "bluez/usr/share/doc/bluez-test-scripts/examples"


class BumbleStrap:
    """Bumble's example of a heart-rate server, a process of its own at its own controller."""

    # As its configuration has it.
    address = "F0:F1:F2:F3:F4:F5"

    def __init__(self) -> None:
        self.history: list[str] = []

    async def join(self, air: Air) -> None:
        """Starts it: it advertises at once."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.air = air
        self.transport = await open_transport(f"tcp-server:127.0.0.1:{port}")
        self.controller = AirController(
            "stranger",
            host_source=self.transport.source,
            host_sink=self.transport.sink,
            link=air,
            public_address="00:1B:DC:00:02:01",
        )
        self.log = (VM_WORK / "run" / "heart_rate_server.log").open("wb")
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, BUMBLE / "heart_rate_server.py", BUMBLE / "device1.json",
            f"tcp-client:127.0.0.1:{port}", stdout=self.log, stderr=self.log,
        )  # fmt: skip

    async def leave(self) -> None:
        """Ends it."""
        self.process.kill()
        await self.process.wait()
        self.log.close()
        text = Path(self.log.name).read_text(errors="replace")
        self.history.append(f"{time.time():.3f} its log:\n{text}")
        self.controller.drop_links()
        self.air.remove_controller(self.controller)
        await self.transport.close()


class BluezStrap:
    """BlueZ's example of a heart-rate server: bluetoothd as the sensor, in a guest of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.history: list[str] = []

    async def join(self, air: Air) -> None:
        """Boots its guest and starts it: it advertises at once."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.machine = Machine(self.folder)
        await self.machine.boot()
        self.controllers = Controllers(air, self.machine, "00:1B:DC:00:03")
        await self.controllers.attach()
        await self.controllers.plug()
        # The advertisement waits for the services: who links at once shall find them.
        await self.machine.run(f"""
            dbus-daemon --system --fork --nopidfile
            /usr/sbin/bluetoothd -n >/out/bluetoothd.log 2>&1 &
            until busctl tree org.bluez 2>/dev/null | grep -q hci; do sleep 0.1; done
            (echo power on; echo discoverable on; sleep 3) | bluetoothctl >/out/bluetoothctl.log 2>&1
            /usr/bin/python3 -u {BLUEZ}/example-gatt-server >/out/server.log 2>&1 &
            until grep -q "application registered" /out/server.log; do sleep 0.1; done
            /usr/bin/python3 -u {BLUEZ}/example-advertisement >/out/advertisement.log 2>&1 &
            until grep -q "Advertisement registered" /out/advertisement.log; do sleep 0.1; done
            """)

    def sent(self) -> int:
        """How many values it has set."""
        return (self.folder / "server.log").read_text(errors="replace").count("Updating value")

    async def leave(self) -> None:
        """Ends its guest."""
        for name in ("server", "advertisement", "bluetoothd", "console"):
            log = self.folder / f"{name}.log"
            if log.exists():
                self.history.append(f"{time.time():.3f} {log.name}:\n{log.read_text(errors='replace')}")
        await self.controllers.detach()
        await self.machine.halt()
