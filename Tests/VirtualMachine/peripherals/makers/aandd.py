"""A&D's scale and blood-pressure monitor: the adopted services, and commands of their own."""

import struct
import time
from datetime import datetime

from ..scripted import (
    INDICATE,
    READ,
    WRITE,
    Act,
    Done,
    HangUp,
    Script,
    Send,
    instant,
    is_now,
    local,
)

VENDOR_SERVICE = "233BF000-5A34-1B6D-975C-000D5690ABE4"
VENDOR = "233BF001-5A34-1B6D-975C-000D5690ABE4"


class AandDDevice(Script):
    """Bonds, wants the time, and later sends each record until it is confirmed.

    On the link on which it is paired it sends nothing, and waits for the end of the pairing. The
    second link breaks after a record.
    """

    definition = "aandd-ble"
    bonded = True
    says_its_name = True
    measurement: str

    def __init__(self) -> None:
        super().__init__()
        self.is_paired = False
        self.records: list[bytes] = []

    def linked(self) -> list[Act]:
        self.listens = self.is_timed = False
        return []

    def subscribed(self, characteristic: str) -> list[Act]:
        self.listens = self.listens or characteristic == self.measurement
        return self.transfer()

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        if characteristic == "2A08":
            year, *rest = struct.unpack("<HBBBBB", value)
            shown = datetime(year, *rest)
            self.check(is_now(shown), f"{shown} is not the time: {text}")
            self.is_timed = True
            return self.transfer()
        self.check(value.hex() == "020103", f"unknown: {text}")
        self.check(self.is_timed, "the pairing ends before the time is set")
        self.is_paired = True
        return [HangUp()]

    def transfer(self) -> list[Act]:
        if not (self.is_paired and self.listens and self.is_timed) or self.is_sending():
            return []
        return [Send(self.measurement, self.records[0])]

    def is_sending(self) -> bool:
        """Whether this link's transfer has begun."""
        begun, self.begun = getattr(self, "begun", 0), self.links
        return begun == self.links

    def sent(self, characteristic: str, value: bytes) -> list[Act]:
        self.records.remove(value)
        if not self.records:
            return [Done(), HangUp()]
        if len(self.records) == 1 and self.links == 2:
            return [HangUp()]
        return [Send(self.measurement, self.records[0])]

    def stamp(self, hours: int) -> tuple[bytes, datetime]:
        """A time as the device keeps it, and the instant."""
        shown = local(time.time() - 3600 * hours)
        parts = (shown.year, shown.month, shown.day, shown.hour, shown.minute, shown.second)
        return struct.pack("<HBBBBB", *parts), instant(shown)


class AandDScale(AandDDevice):
    """The scale UC-352BLE."""

    name = "A&D_UC-352BLE_00B001"
    advertised = ["181D"]
    measurement = "2A9D"
    table = {
        "181D": {"2A9D": INDICATE, "2A9E": READ, "2A08": READ | WRITE},
        VENDOR_SERVICE: {VENDOR: READ | WRITE},
    }

    def __init__(self) -> None:
        super().__init__()
        for hours, weight in ((20, 15640), (10, 15650), (1, 15660)):
            stamp, taken = self.stamp(hours)
            self.records.append(struct.pack("<BH", 2, weight) + stamp)
            self.expect("bodyMass", weight / 200, taken)


class AandDMonitor(AandDDevice):
    """The blood-pressure monitor UA-651BLE, of which the name is heard late."""

    name = "A&D_UA-651BLE_00B002"
    advertised = ["1810"]
    says_its_name = False
    measurement = "2A35"
    table = {
        "1810": {"2A35": INDICATE, "2A49": READ, "2A08": READ | WRITE},
        VENDOR_SERVICE: {VENDOR: READ | WRITE},
    }

    def __init__(self) -> None:
        super().__init__()
        for hours, systolic, diastolic, mean, pulse in (
            (15, 123, 81, 95, 70),
            (5, 128, 84, 99, 66),
        ):
            stamp, taken = self.stamp(hours)
            pressure = struct.pack("<BHHH", 0x16, systolic, diastolic, mean)
            self.records.append(pressure + stamp + struct.pack("<HH", pulse, 0))
            self.expect("bloodPressureSystolic", systolic, taken)
            self.expect("bloodPressureDiastolic", diastolic, taken)
            self.expect("bloodPressureMean", mean, taken)
            self.expect("pulseRate", pulse, taken)
