"""A heart-rate strap."""

import asyncio
from dataclasses import dataclass

from bumble.core import UUID
from bumble.gatt import Characteristic, Service

from .peripheral import Peripheral, Properties


@dataclass
class Beat:
    """A value that was sent: over which link, and when, by the loop's clock."""

    pulse: int
    link: int
    time: float


class HeartRateStrap(Peripheral):
    """Notifies `rate` times a second while a client is subscribed; `beats` are the values sent."""

    bound = "C4:12:34:56:7A:01"

    def __init__(self, name: str = "Bench Strap", rate: float = 1, **options):
        super().__init__(name, ["180D"], **options)
        self.rate = rate
        self.sent: list[Beat] = []
        self.worn = True

    @property
    def beats(self) -> list[int]:
        """The values sent."""
        return [beat.pulse for beat in self.sent]

    def offered(self) -> list[Service]:
        self.measurement = self.characteristic("2A37", Properties.NOTIFY)
        location = self.characteristic("2A38", Properties.READ, b"\x01")
        return [Service(UUID("180D"), [self.measurement, location])]

    async def on_subscribed(self, characteristic: Characteristic) -> None:
        if characteristic is not self.measurement:
            return
        loop = asyncio.get_running_loop()
        link, next_beat = self.connection, loop.time()
        while link and self.connection is link and self.worn:
            pulse = 60 + len(self.sent) % 60
            await self.notify(self.measurement, bytes([0, pulse]))
            self.sent.append(Beat(pulse, self.connections, loop.time()))
            next_beat += 1 / self.rate
            await asyncio.sleep(max(0, next_beat - loop.time()))

    async def take_off(self) -> None:
        """Nobody wears it any more: it falls silent, and hangs up a second later."""
        self.worn = False
        await self.sleep()
        await asyncio.sleep(1)
        await self.hang_up()
