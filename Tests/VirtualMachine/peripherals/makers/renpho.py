"""Renpho's scales that Lefu made, with the service 1A10: the basic kind, and that with profiles.

Source: ronnnnnnnnnnnnn/renpho-escs20m, with captures of ES-26BB-B, R-A012, ES-CS20MB1 and others.
"""

import struct
import time
from datetime import UTC, datetime

from ..scripted import INDICATE, NOTIFY, WRITE, Act, Done, Expected, HangUp, Script, Send, sum8


class LefuScale(Script):
    """What both kinds have: the frames, the unit, and an advertisement with the address."""

    company = 0x1A10
    model: int

    def company_data(self) -> bytes:
        address = bytes.fromhex(self.address.replace(":", ""))
        return struct.pack(">HH", 4, self.model) + address + b"\x01\x09"

    def frame(self, operation: int, payload: bytes) -> bytes:
        """A frame of either side."""
        return sum8(struct.pack(">HBH", 0x55AA, operation, len(payload)) + payload)

    def payload(self, value: bytes, text: str) -> bytes:
        """What was written, behind its head and without its checksum."""
        self.check(self.frame(value[2], value[5:-1]) == value, f"length or checksum: {text}")
        return value[5:-1]

    def unit(self, payload: bytes, text: str) -> None:
        """The unit is kilograms, and the setting of the current stays as it is."""
        self.check(payload.hex() == "01000000", f"unit: {text}")

    def settling(self, kilograms: float) -> Send:
        """A weight while it settles."""
        payload = struct.pack(">BIH", 0, round(kilograms * 100), 0)
        return Send("2A10", self.frame(0x14, payload))


class BasicLefuScale(LefuScale):
    """Sends what it has stored, each with its age; one acknowledgement deletes all of it.

    The link breaks amid the records, which then come again with a greater age and in other pieces.
    """

    definition = "renpho-es-26bb"
    name = "ES-26BB-B"
    table = {"1A10": {"2A10": NOTIFY, "2A11": WRITE}}
    model = 3

    def __init__(self) -> None:
        super().__init__()
        self.stored = [
            (time.time() - 3600 * hours, 7650 + hours, 580 + hours) for hours in (40, 8, 1)
        ]
        for seconds, weight, ohms in self.stored:
            taken = datetime.fromtimestamp(seconds, UTC)
            self.expected.append(Expected("bodyMass", weight / 100, taken, 60))
            self.expected.append(Expected("impedance", ohms, taken, 60))

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        payload = self.payload(value, text)
        if value[2] == 0x90:
            self.unit(payload, text)
            return self.session()
        self.check(value[2] == 0x95 and payload == b"\x01", f"unknown: {text}")
        self.check(self.links == 2, "what was not sent is deleted")
        self.stored.clear()
        return [Done()]

    def session(self) -> list[Act]:
        status = self.frame(0x11, bytes([1, 1, 1, len(self.stored), 0]))
        first, second, third = (self.record(*record) for record in self.stored)
        if self.links == 1:
            return [Send("2A10", status), Send("2A10", first), Send("2A10", second), HangUp()]
        pieces = [first + second[:4], second[4:], third[:19], third[19:]]
        self.expect("bodyMass", 76.7)
        self.expect("impedance", 586)
        final = Send("2A10", self.frame(0x14, struct.pack(">BIH", 1, 7670, 586)))
        records = [Send("2A10", piece) for piece in pieces if piece]
        return [Send("2A10", status), *records, self.settling(70.1), self.settling(76.7), final]

    def record(self, seconds: float, weight: int, ohms: int) -> bytes:
        """A stored weighing, with the seconds that have passed since."""
        age = round(time.time() - seconds)
        return self.frame(0x15, struct.pack(">IHIH", weight, ohms, age, 0))


class GuestLefuScale(LefuScale):
    """Wants the time and a guest's profile before it gives a result; the link breaks before it.

    A profile of any number below 9 would overwrite a user.
    """

    definition = "renpho-es-cs20m-lefu"
    name = "ES-CS20M"
    table = {"1A10": {"2A10": NOTIFY, "2A11": WRITE, "2A12": INDICATE}}
    model = 0x31

    def linked(self) -> list[Act]:
        self.known: set[int] = set()
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        payload = self.payload(value, text)
        self.known.add(value[2])
        if value[2] == 0x97:
            seconds = int.from_bytes(payload[1:7], "big")
            self.check(payload[0] == 1 and len(payload) == 9, f"time: {text}")
            self.check(abs(seconds - time.time()) < 60, f"{seconds} is not the time: {text}")
            self.check(payload[7] in (0, 1) and payload[8] <= 14, f"zone: {text}")
            return [Send("2A10", self.frame(0x17, b"\x01"))]
        if value[2] == 0x96:
            is_guest = len(payload) == 14 and payload[0] & 15 == 9 and payload[12] == 0xFF
            self.check(is_guest, f"not a guest: {text}")
            self.check(payload[13] == 5 and any(payload[7:11]), f"no impedance: {text}")
            return [Send("2A10", self.frame(0x16, b"\x01"))]
        self.check(value[2] == 0x90, f"unknown: {text}")
        self.unit(payload, text)
        self.check({0x96, 0x97} <= self.known, "the unit comes before the profile and the time")
        live: list[Act] = [Send("2A10", self.frame(0x10, b"\x01"))]
        live += [self.settling(61.2), self.settling(77.3)]
        if self.links == 1:
            return [*live, HangUp()]
        self.expect("bodyMass", 77.35)
        self.expect("impedance", 479)
        result = struct.pack(">BBBIHHH", 1, 1, 9, 7735, 479, 239, 236)
        final = Send("2A12", self.frame(0x18, result))
        return [*live, final, final, Done()]
