"""Those who mean harm: a hostile advertiser and a flooding sensor."""

import asyncio
import random
from collections.abc import Callable

from bumble import hci
from bumble.core import UUID
from bumble.gatt import Characteristic, Service

from bench.link import AirController
from .peripheral import Peripheral, Properties


class HostileAdvertiser(Peripheral):
    """Reports of ever new addresses with AD structures that lie about their length."""

    def __init__(self, name: str = "Hostile", seed: int = 1, **options):
        super().__init__(name, [], **options)
        self.random = random.Random(seed)
        self.reports = 0

    async def rave(self, receiver: AirController, seconds: float, rate: float = 100) -> None:
        """Sends hostile reports straight to a controller for some time."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        while loop.time() - start < seconds:
            while self.reports < (loop.time() - start) * rate:
                address = hci.Address(bytes(self.random.randbytes(5)) + b"\xc0")
                if receiver.le_scan_enable:
                    receiver.report(address, 0x0010, self.structures())
                self.reports += 1
            await asyncio.sleep(0.02)

    def structures(self) -> bytes:
        """Advertising data that is wrong in one of several ways; at most 31 bytes."""
        choice = self.random.randrange(5)
        noise = self.random.randbytes(self.random.randrange(24))
        if choice == 0:  # a length beyond the end
            return b"\xff\x16\x1d\x18" + noise
        if choice == 1:  # Mi scale frames with noise in them
            return bytes([len(noise) + 3, 0x16, 0x1D, 0x18]) + noise
        if choice == 2:  # a service that is connected to, from a device that is not there
            return b"\x02\x01\x06\x03\x03\x1d\x18"
        if choice == 3:  # lengths of zero in between
            return b"\x00\x00\x02\x01\x06" + noise
        return noise


class Flooder(Peripheral):
    """A strap that notifies as fast as a link can; `backlog` is what the guest has not taken yet."""

    bound = "C4:12:34:56:7A:04"

    # Six packets in each of the shortest connection intervals, 7.5 ms.
    RATE = 800

    def __init__(self, backlog: Callable[[], int], name: str = "Flooder", **options):
        super().__init__(name, ["180D"], **options)
        self.backlog = backlog
        self.sent = 0

    def offered(self) -> list[Service]:
        self.measurement = self.characteristic("2A37", Properties.NOTIFY)
        return [Service(UUID("180D"), [self.measurement])]

    async def on_subscribed(self, characteristic: Characteristic) -> None:
        loop = asyncio.get_running_loop()
        link, start, first = self.connection, loop.time(), self.sent
        while link and self.connection is link:
            due = (loop.time() - start) * self.RATE
            if self.backlog() == 0 and self.sent - first < due:
                await self.notify(self.measurement, bytes([0, 60 + self.sent % 60]))
                self.sent += 1
                # The air takes it in the next turn of the loop.
                await asyncio.sleep(0)
            else:
                await asyncio.sleep(0.001)
