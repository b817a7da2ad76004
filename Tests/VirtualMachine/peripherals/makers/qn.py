"""QN scales (Yolanda, Renpho, Etekcity): the basic and the extended dialect.

Source: ronnnnnnnnnnnnn/renpho-escs20m, ronnnnnnnnnnnnn/etekcity_esf551_ble
and oliexdev/openScale.
"""

import struct
import time
from datetime import datetime, timedelta

from ..scripted import (
    INDICATE,
    NOTIFY,
    WRITE,
    Act,
    Done,
    HangUp,
    Script,
    Send,
    Wait,
    instant,
    is_now,
    local,
    sum8,
)

CENTURY = datetime(2000, 1, 1)


class QNScale(Script):
    """What all of them have in common: information, unit, time, and then what the dialect adds.

    The scale puts a vendor's byte into every frame. It acknowledges what has another one, and never
    weighs.
    """

    definition = "qn-scale"
    vendor = 0xFF
    info: bytes
    data = "FFF1"  # what it sends
    unit_to = time_to = "FFF2"  # where it expects unit and time

    def linked(self) -> list[Act]:
        self.is_informed = False
        return []

    def subscribed(self, characteristic: str) -> list[Act]:
        return [Send(self.data, self.info)] if characteristic == self.data else []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        self.check(len(value) > 3 and value[1] == len(value), f"length: {text}")
        self.check(sum8(value[:-1]) == value, f"checksum: {text}")
        if value[0] == 0x13:
            self.check(characteristic == self.unit_to, f"place of the unit: {text}")
            self.check(value[2:-1].hex() == f"{self.vendor:02x}0110000000", f"unit: {text}")
            return [Send(self.data, self.frame(0x14, b""))]
        if value[0] == 0x20:
            self.check(characteristic == self.time_to, f"place of the time: {text}")
            self.check(value[2] == self.vendor and len(value) == 8, f"time: {text}")
            shown = CENTURY + timedelta(seconds=int.from_bytes(value[3:7], "little"))
            self.check(is_now(shown), f"{shown} is not the time: {text}")
            return self.timed()
        return self.asked(characteristic, value)

    def frame(self, operation: int, payload: bytes) -> bytes:
        """A frame of the scale."""
        return sum8(bytes([operation, len(payload) + 4, self.vendor]) + payload)

    def timed(self) -> list[Act]:
        """The unit and the time are set."""
        return []

    def asked(self, characteristic: str, value: bytes) -> list[Act]:
        """Anything else was written."""
        self.check(False, f"unknown: {characteristic} {value.hex()}")
        return []

    def basic(self, kilograms: float, state: int, ohms: int = 0) -> Send:
        """A live weight of the basic dialect; the state is 0 settling, 11h measuring, 1 final."""
        payload = struct.pack(">HBHH", round(kilograms * 100), state, ohms, max(ohms - 2, 0))
        return Send(self.data, self.frame(0x10, payload))


class BasicQNScale(QNScale):
    """The first generation, with four characteristics. The link breaks while the weight settles."""

    name = "QN-Scale"
    info = bytes.fromhex("1211ff03aa670003ff030305000005074f")
    table = {"FFE0": {"FFE1": NOTIFY, "FFE2": INDICATE, "FFE3": WRITE, "FFE4": WRITE}}
    data, unit_to, time_to = "FFE1", "FFE3", "FFE4"

    def timed(self) -> list[Act]:
        settling = [self.basic(54.10, 0), self.basic(71.25, 0)]
        answer = Send(self.data, bytes.fromhex("2104ff24"))
        if self.links == 1:
            return [answer, *settling, HangUp()]
        self.expect("bodyMass", 74.95)
        self.expect("impedance", 505)
        final = self.basic(74.95, 0x01, 505)
        return [answer, *settling, self.basic(74.95, 0x11), final, final, final, Done()]


class ExtendedQNScale(QNScale):
    """A later one, which measures the impedance of a profile and stores weighings.

    What is delivered is deleted. The link breaks among the stored weighings.
    """

    name = "Renpho-Scale"
    company = 0xFFFF
    info = bytes.fromhex("1211ff03aa670003ff030305000005074f")
    table = {"FFF0": {"FFF1": NOTIFY, "FFF2": WRITE}}

    def __init__(self) -> None:
        super().__init__()
        now = int(time.time())
        self.stored = [(now - 86400 * day, 74 + day / 20, 500 + day) for day in (3, 2, 1)]

    def company_data(self) -> bytes:
        reversed_address = bytes.fromhex(self.address.replace(":", ""))[::-1]
        head = bytes.fromhex("095b0100") + bytes([len(self.stored)])
        return head + reversed_address + bytes.fromhex("ff6008030001")

    def timed(self) -> list[Act]:
        return [Send(self.data, self.frame(0x21, b"\x00"))]

    def asked(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        if value[0] == 0xA0:
            self.check(value[2:6].hex() == "02feffee" and value[11] == 2, f"profile: {text}")
            height = int.from_bytes(value[8:10], "big")
            self.check(1000 < height < 2500, f"{height} mm: {text}")
            self.is_profiled = True
            return [Send(self.data, bytes.fromhex("a10602fe01a8"))]
        if value == bytes.fromhex("2206ff000128"):
            return self.history()
        return super().asked(characteristic, value)

    def history(self) -> list[Act]:
        acts: list[Act] = []
        count = len(self.stored)
        for index in range(1, count + 1):
            if self.links == 1 and index == count:
                return [*acts, HangUp()]
            seconds, kilograms, ohms = self.stored.pop(0)
            shown = local(seconds)
            payload = struct.pack(
                "<BBBI", count, index, 0xF0, round((shown - CENTURY).total_seconds())
            )
            payload += struct.pack(">HHHH", round(kilograms * 100), ohms, ohms + 2, 230)
            acts.append(Send(self.data, self.frame(0x23, payload)))
            self.expect("bodyMass", kilograms, instant(shown))
            self.expect("impedance", ohms, instant(shown))
        if not self.stored and count == 0:
            acts.append(Send(self.data, bytes.fromhex("2313ff000094b7b63100000000000000000067")))
        live = [self.extended(71.20, 0), self.extended(75.05, 1)]
        final = self.extended(75.05, 2, 507)
        self.expect("bodyMass", 75.05)
        self.expect("impedance", 507)
        return [*acts, *live, final, final, Done()]

    def extended(self, kilograms: float, state: int, ohms: int = 0) -> Send:
        """A live weight; the state is 0, 1, and 2 with the impedance."""
        fat = 210 if ohms else 0
        weight = round(kilograms * 100)
        payload = struct.pack(">BBHHHH", 0xFE, state, weight, ohms, ohms, fat)
        return Send(self.data, self.frame(0x10, payload))


class EtekcityScale(QNScale):
    """Etekcity's, with a vendor's byte of its own; the link breaks before the time is set."""

    name = "ESF24"
    company = 0xFFFF
    vendor = 0x15
    info = sum8(bytes.fromhex("120f15000000000000000000") + bytes(2))
    table = {"FFF0": {"FFF1": NOTIFY, "FFF2": WRITE}}

    def company_data(self) -> bytes:
        reversed_address = bytes.fromhex(self.address.replace(":", ""))[::-1]
        return bytes.fromhex("0126010001") + reversed_address

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        acts = super().written(characteristic, value)
        return [HangUp()] if self.links == 1 and value[0] == 0x20 else acts

    def timed(self) -> list[Act]:
        return [Send(self.data, self.frame(0x21, b""))]

    def asked(self, characteristic: str, value: bytes) -> list[Act]:
        if value != bytes.fromhex("2204153b"):
            return super().asked(characteristic, value)
        shown = local(time.time() - 7200)
        seconds = round((shown - CENTURY).total_seconds())
        record = struct.pack("<BBI", 1, 1, seconds) + struct.pack(">HHHI", 7605, 363, 308, 0)
        self.expect("bodyMass", 76.05, instant(shown))
        self.expect("impedance", 363, instant(shown))
        self.expect("bodyMass", 76.20)
        self.expect("impedance", 364)
        return [
            Send(self.data, self.frame(0x23, record)),
            self.basic(70.00, 0),
            self.basic(76.20, 1, 364),
            Done(),
        ]
