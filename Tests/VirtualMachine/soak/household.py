"""The sensors of a soak and what people do with them."""

import asyncio
import random
from dataclasses import dataclass

from bench.home import Home, eventually, within
from peripherals.motion import Accelerometer
from peripherals.peripheral import Peripheral
from peripherals.scale import WeightScale
from peripherals.strap import HeartRateStrap

# Weights in steps of 5 g, so that each is another one.
LIGHTEST, STEP = 74.0, 0.005


@dataclass
class Weighing:
    """Somebody stood on a scale."""

    scale: WeightScale
    kilograms: float


class Household:
    """Two scales, one of them bonded, a strap at 1 Hz and an accelerometer at `rate` Hz."""

    def __init__(self, home: Home, rate: float):
        self.home = home
        self.plain = WeightScale("Plain Scale")
        self.bonded = WeightScale("Bonded Scale", bonded=True)
        self.strap = HeartRateStrap()
        self.accelerometer = Accelerometer(rate=rate)
        self.weighings: list[Weighing] = []

    @property
    def scales(self) -> list[WeightScale]:
        return [self.plain, self.bonded]

    @property
    def worn(self) -> list[HeartRateStrap | Accelerometer]:
        """What stays awake."""
        return [self.strap, self.accelerometer]

    @property
    def sensors(self) -> list[Peripheral]:
        return [*self.scales, *self.worn]

    async def place(self) -> None:
        for sensor in self.sensors:
            await self.home.place(sensor)

    async def weigh(self, scale: WeightScale) -> None:
        """Somebody weighs themselves, with a weight that nobody had before."""
        kilograms = round(LIGHTEST + STEP * len(self.weighings), 3)
        self.weighings.append(Weighing(scale, kilograms))
        await scale.step_on(kilograms)

    async def wake(self) -> None:
        """Puts on what is worn."""
        self.strap.worn = self.accelerometer.streaming = True
        for sensor in self.worn:
            await sensor.wake()

    async def rest(self, seconds: float) -> None:
        """Takes everything off, waits until no link is left, and then some time."""
        self.strap.worn = self.accelerometer.streaming = False
        for sensor in self.sensors:
            await sensor.sleep()
        # What was sent is on its way.
        await asyncio.sleep(2)
        for sensor in self.worn:
            await sensor.hang_up()
        await eventually(
            lambda: not any(sensor.connection for sensor in self.sensors), "no link is left", 120
        )
        await asyncio.sleep(seconds)

    async def serve_once(self) -> None:
        """Every sensor gives something."""
        await self.wake()
        for scale in self.scales:
            await self.weigh(scale)
            await within(scale.empty, "the record is confirmed", 120)
        await eventually(lambda: len(self.strap.sent) > 5, "the strap streams", 120)
        await eventually(lambda: self.accelerometer.sent > 100, "the accelerometer streams", 120)

    async def empty(self, seconds: float) -> None:
        """Waits until the scales have nothing left."""
        for scale in self.scales:
            await within(scale.empty, f"{scale.name} is empty", seconds)

    async def weigh_at_times(self, chance: random.Random) -> None:
        """Lets people weigh themselves until it is cancelled."""
        while True:
            await asyncio.sleep(chance.uniform(15, 60))
            await self.weigh(chance.choice(self.scales))
