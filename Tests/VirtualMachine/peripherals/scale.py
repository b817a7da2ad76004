"""Scales: the standard one, and one that only broadcasts."""

import asyncio
import struct
import time

from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingType
from bumble.gatt import Characteristic, Service

from .peripheral import Peripheral, Properties, date_time


class WeightScale(Peripheral):
    """A scale with the Weight Scale Service that keeps its records until they are confirmed.

    It is awake while it has records, sends them oldest first as soon as a client subscribes, and hangs
    up when all are confirmed.
    """

    def __init__(self, name: str = "Bench Scale", user: int | None = None, **options):
        super().__init__(name, ["181D"], **options)
        self.user = user
        self.records: list[bytes] = []
        self.sent: list[bytes] = []
        self.indicated = asyncio.Event()
        self.empty = asyncio.Event()
        self.confirmed: list[bytes] = []
        self.pause = 0.0  # seconds before each record
        self.drops_the_link_on_record = False
        self.clock_set: bytes | None = None
        self._sending = False

    def offered(self) -> list[Service]:
        feature = 0b1 | (0b10 if self.user is not None else 0)
        self.measurement = self.characteristic("2A9D", Properties.INDICATE)
        clock = self.characteristic(
            "2A2B", Properties.READ | Properties.WRITE, bytes(10), on_write=self._on_clock
        )
        return [
            Service(
                UUID("181D"),
                [
                    self.characteristic("2A9E", Properties.READ, struct.pack("<I", feature)),
                    self.measurement,
                ],
            ),
            Service(UUID("1805"), [clock]),
        ]

    def _on_clock(self, value: bytes) -> None:
        self.clock_set = value
        self.say("clock set to", value.hex())

    def keep(self, kilograms: float, at: float | None = None) -> bytes:
        """Keeps a record. Gives it."""
        flags = 0b010 if self.user is None else 0b110
        record = struct.pack("<BH", flags, round(kilograms * 200)) + date_time(at or time.time())
        if self.user is not None:
            record += bytes([self.user])
        self.records.append(record)
        self.empty.clear()
        return record

    async def step_on(self, kilograms: float, at: float | None = None) -> bytes:
        """Somebody weighs themselves: a record is kept, and the scale wakes. Gives the record."""
        record = self.keep(kilograms, at)
        await self.wake()
        if self.connection and self.measurement in self._listened():
            asyncio.get_running_loop().create_task(self._send())
        return record

    def _listened(self) -> list[Characteristic]:
        subscribers = self.device.gatt_server.subscribers.get(self.connection, {})
        return (
            [self.measurement]
            if subscribers.get(self.measurement.handle, b"")[:1] == b"\x02"
            else []
        )

    async def on_subscribed(self, characteristic: Characteristic) -> None:
        if characteristic is self.measurement:
            await self._send()

    async def _send(self) -> None:
        if self._sending:
            return
        self._sending = True
        try:
            while self.records and self.connection:
                await asyncio.sleep(self.pause)
                record = self.records[0]
                self.sent.append(record)
                self.indicated.set()
                if self.drops_the_link_on_record:
                    self.drops_the_link_on_record = False
                    self.holds_confirmations = True
                    await asyncio.gather(
                        self.indicate(self.measurement, record),
                        self._drop(),
                        return_exceptions=True,
                    )
                    self.holds_confirmations = False
                    return
                if not await self.indicate(self.measurement, record):
                    return
                self.confirmed.append(record)
                self.records.remove(record)
            if not self.records:
                self.awake = False
                self.empty.set()
                await asyncio.sleep(1)
                if not self.records:
                    await self.hang_up()
        finally:
            self._sending = False

    async def _drop(self) -> None:
        await asyncio.sleep(0)
        await self.hang_up()


def kilograms(record: bytes) -> float:
    """The weight in a record."""
    return round(int.from_bytes(record[1:3], "little") / 200, 3)


class BroadcastScale(Peripheral):
    """A Mi Smart Scale: its weight is in its advertisements; no connection is made."""

    def __init__(self, name: str = "MI_SCALE", **options):
        super().__init__(name, ["181D"], **options)

    async def step_on(self, kilograms: float) -> None:
        """Broadcasts a weighing: it settles, is stable for two seconds, then the person is off."""
        moment = date_time(time.time())
        weight = round(kilograms * 200)
        for state, seconds in ((0x02, 1.0), (0x22, 2.0), (0xA2, 10.0)):
            drift = 40 if state == 0x02 else 0
            await self._broadcast(struct.pack("<BH", state, weight + drift) + moment)
            await asyncio.sleep(seconds)
        await self.device.stop_advertising()

    async def flash(self, kilograms: float, seconds: float) -> None:
        """Broadcasts a stable weight for a short time, and cannot be asked for more."""
        frame = struct.pack("<BH", 0x22, round(kilograms * 200)) + date_time(time.time())
        await self._broadcast(frame, AdvertisingType.UNDIRECTED)
        await asyncio.sleep(seconds)
        await self.device.stop_advertising()

    async def _broadcast(
        self, frame: bytes, kind: AdvertisingType = AdvertisingType.UNDIRECTED_SCANNABLE
    ) -> None:
        await self.device.stop_advertising()
        data = AdvertisingData(
            [
                (AdvertisingData.FLAGS, b"\x06"),
                (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, b"\x1d\x18"),
                (AdvertisingData.SERVICE_DATA_16_BIT_UUID, b"\x1d\x18" + frame),
            ]
        )
        await self.device.start_advertising(
            advertising_type=kind,
            advertising_data=bytes(data),
            scan_response_data=bytes(
                AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode())])
            ),
            advertising_interval_min=100,
            advertising_interval_max=100,
        )
        self.say("broadcasts", frame.hex())
