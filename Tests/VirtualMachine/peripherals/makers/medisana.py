"""Medisana's scales, of both epochs. Source: keptenkurk/BS440."""

import struct
import time
from datetime import UTC, datetime

from ..scripted import INDICATE, WRITE, Act, Done, HangUp, Script, Send, Wait

YEAR_2010 = 1_262_304_000


def medical_float(number: int, exponent: int) -> bytes:
    """A FLOAT of IEEE 11073-20601."""
    return struct.pack("<i", number)[:3] + struct.pack("b", exponent)


class MedisanaScale(Script):
    """Sends its person and all that it has stored once the time was written, and deletes nothing.

    The link breaks between a weight and its composition.
    """

    table = {"78B2": {"8A21": INDICATE, "8A22": INDICATE, "8A82": INDICATE, "8A81": WRITE}}
    advertised = ["78B2"]
    says_its_name = True
    epoch = 0
    # Hours ago, user, kg/100, Ω/10, fat and muscle in 0.1 %.
    stored = [
        (50, 1, 7810, 4421, 184, 363),
        (26, 2, 8130, 5103, 221, 341),
        (2, 1, 7795, 4432, 183, 364),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.now = int(time.time())
        for hours, _user, weight, ohms, fat, muscle in self.stored:
            taken = datetime.fromtimestamp(self.now - 3600 * hours, UTC)
            self.expect("bodyMass", weight / 100, taken)
            self.expect("impedance", ohms / 10, taken)
            self.expect("bodyFatPercentage", fat / 10, taken)
            self.expect("musclePercentage", muscle / 10, taken)

    def linked(self) -> list[Act]:
        self.listened: set[str] = set()
        return []

    def subscribed(self, characteristic: str) -> list[Act]:
        self.listened.add(characteristic)
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        self.check(len(value) == 5 and value[0] == 2, f"unknown: {text}")
        self.check(len(self.listened) == 3, f"only {self.listened} before the time")
        seconds = int.from_bytes(value[1:], "little") + self.epoch
        self.check(abs(seconds - time.time()) < 60, f"time: {text}")
        return [
            Wait(0.2),
            Send("8A82", bytes.fromhex("845302800134b6e0") + bytes(12)),
            *self.memory(),
        ]

    def memory(self) -> list[Act]:
        acts: list[Act] = []
        for number, record in enumerate(self.stored):
            weight, composition = self.frames(*record)
            acts.append(Send("8A21", weight))
            if self.links == 1 and number == 1:
                return [*acts, HangUp()]
            acts.append(Send("8A22", composition))
        return [*acts, Done()]

    def frames(self, hours, user, weight, ohms, fat, muscle) -> tuple[bytes, bytes]:
        """A weight with an impedance, and the composition with the same time and user."""
        clock = struct.pack("<I", self.now - 3600 * hours - self.epoch)
        first = b"\x1d" + medical_float(weight, -2) + clock + medical_float(ohms, -1)
        second = (
            b"\x6f"
            + clock
            + struct.pack(
                "<BHHHHH",
                user,
                2628 | 0xA000,
                fat | 0xF000,
                639 | 0xF000,
                muscle | 0xF000,
                30 | 0xF000,
            )
        )
        return first + bytes([user, 9]) + bytes(4), second + bytes(3)


class BS440(MedisanaScale):
    """With seconds since 1970."""

    definition = "medisana-bs4xx-1970"
    name = "0203B6123456"


class BS444(MedisanaScale):
    """With seconds since 2010."""

    definition = "medisana-bs4xx"
    name = "013197123456"
    epoch = YEAR_2010
