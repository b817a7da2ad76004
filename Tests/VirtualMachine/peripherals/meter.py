"""A glucose meter with stored records."""

import asyncio
import struct
import time

from bumble.core import UUID
from bumble.gatt import Service

from .peripheral import Peripheral, Properties, date_time

# Record Access Control Point (Glucose Service 1.0 §3.4): all records; report, delete, response.
REPORT_ALL, DELETE_ALL = b"\x01\x01", b"\x02\x01"
RESPONSE, SUCCESS, NO_RECORDS = 6, 1, 6


class GlucoseMeter(Peripheral):
    """Reports its records when asked, and deletes them when asked. It stays awake."""

    bound = "C4:12:34:56:7A:02"

    def __init__(self, name: str = "Bench Meter", **options):
        super().__init__(name, ["1808"], **options)
        self.records: list[bytes] = []
        self.deleted: list[bytes] = []
        self.transferred = asyncio.Event()
        self.emptied = asyncio.Event()
        self._sequence = 0

    def offered(self) -> list[Service]:
        self.measurement = self.characteristic("2A18", Properties.NOTIFY)
        self.access = self.characteristic(
            "2A52",
            Properties.WRITE | Properties.INDICATE,
            on_write=self._on_request,
        )
        feature = self.characteristic("2A51", Properties.READ, b"\x00\x00")
        return [Service(UUID("1808"), [self.measurement, feature, self.access])]

    def measure(self, millimoles: float) -> bytes:
        """Keeps a record in mmol/L, with the present time and the next sequence number."""
        self._sequence += 1
        # Concentration present, in mol/L; SFLOAT with exponent -5.
        mantissa = round(millimoles * 100)
        record = struct.pack("<BH", 0b110, self._sequence) + date_time(time.time())
        record += struct.pack("<HB", mantissa | (-5 & 0xF) << 12, 0x11)
        self.records.append(record)
        self.emptied.clear()
        return record

    def _on_request(self, request: bytes) -> None:
        # Kept, or the loop may forget a task that is under way.
        self._answering = asyncio.get_running_loop().create_task(self._asked(request))

    async def _asked(self, request: bytes) -> None:
        self.say("asked", request.hex())
        if request == REPORT_ALL:
            for record in self.records:
                await self.notify(self.measurement, record)
            result = SUCCESS if self.records else NO_RECORDS
        elif request == DELETE_ALL:
            self.deleted += self.records
            self.records = []
            self.emptied.set()
            result = SUCCESS
        else:
            result = 2  # not supported
        if request == REPORT_ALL:
            self.transferred.set()
        await self.indicate(self.access, bytes([RESPONSE, 0, request[0], result]))
