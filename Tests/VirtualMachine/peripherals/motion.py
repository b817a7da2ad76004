"""A body-worn accelerometer."""

import asyncio
import math
import struct

from bumble.core import UUID
from bumble.gatt import Characteristic, Service

from .peripheral import Peripheral, Properties

BASE = "0000{}-0000-1000-8000-00805f9a34fb"


class Accelerometer(Peripheral):
    """A WitMotion BWT901BLE at `rate` samples a second, walking at two steps a second.

    Each packet carries its number in the unused angle, so that a lost one is noticed.
    """

    bound = "C4:12:34:56:7A:03"

    def __init__(self, name: str = "WT901BLE68", rate: float = 200, **options):
        super().__init__(name, [BASE.format("ffe5")], **options)
        self.rate = rate
        self.sent = 0
        self.streaming = True

    def offered(self) -> list[Service]:
        self.samples = self.characteristic(BASE.format("ffe4"), Properties.NOTIFY)
        commands = self.characteristic(
            BASE.format("ffe9"), Properties.WRITE_WITHOUT_RESPONSE | Properties.WRITE
        )
        return [Service(UUID(BASE.format("ffe5")), [self.samples, commands])]

    async def on_subscribed(self, characteristic: Characteristic) -> None:
        if characteristic is not self.samples:
            return
        loop = asyncio.get_running_loop()
        link, due = self.connection, loop.time()
        while link and self.connection is link and self.streaming:
            await self.notify(self.samples, self.packet(self.sent))
            self.sent += 1
            # What a busy host was late for is not caught up with in a burst: no sensor does that.
            due = max(due + 1 / self.rate, loop.time() - 0.05)
            await asyncio.sleep(due - loop.time())

    def packet(self, number: int) -> bytes:
        """The packet of a sample: 1 g downwards and 0.35 g of gait; scale 16 g / 32768."""
        gait = 0.35 * math.sin(2 * math.pi * 2 * number / self.rate)
        vertical = round((1 + gait) * 2048)
        return struct.pack("<BB3h3h", 0x55, 0x61, 0, 0, vertical, 0, 0, 0) + struct.pack(
            "<IH", number, 0
        )
