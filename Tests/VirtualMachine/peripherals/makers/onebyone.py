"""1byone's scales: the classic one, which is Eufy's too, and the newer one.

Source: oliexdev/openScale.
"""

import struct
import time
from datetime import UTC, datetime

from ..scripted import (
    NOTIFY,
    WRITE,
    Act,
    Done,
    HangUp,
    Script,
    Send,
    instant,
    is_now,
    local,
    sum8,
    xor,
)


class ClassicScale(Script):
    """Gives what it has stored when asked, and deletes it when told; the link breaks amid it."""

    definition = "eufy-classic"
    name = "Health Scale"
    table = {"FFF0": {"FFF1": WRITE, "FFF4": NOTIFY}}

    def __init__(self) -> None:
        super().__init__()
        now = time.time()
        # The second was taken with shoes on.
        self.stored = [
            (local(now - 3600 * hours), 7700 + hours, ohms)
            for hours, ohms in ((60, 4987), (36, 0), (12, 4992))
        ]
        for shown, weight, ohms in self.stored:
            self.expect("bodyMass", weight / 100, instant(shown))
            if ohms:
                self.expect("impedance", ohms / 10, instant(shown))

    def linked(self) -> list[Act]:
        self.is_in_kilograms = False
        self.is_asked = False
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        if value[0] == 0xFD:
            self.check(value[:4].hex() == "fd370001" and len(value) == 11, f"unit: {text}")
            self.check(xor(value[:-1]) == value, f"checksum: {text}")
            self.is_in_kilograms = True
            return []
        if value[0] == 0xF1:
            year, *rest = struct.unpack(">HBBBBB", value[1:])
            shown = datetime(year, *rest)
            self.check(is_now(shown), f"{shown} is not the time: {text}")
            return [Send("FFF4", b"\xf1\x00")]
        if value == b"\xf2\x00":
            self.check(self.is_in_kilograms, "records are asked for before the unit is set")
            self.is_asked = True
            return self.history()
        self.check(value == b"\xf2\x01" and self.is_asked, f"unknown: {text}")
        self.check(self.links == 2, "what was not sent is deleted")
        self.stored.clear()
        return self.weighing()

    def history(self) -> list[Act]:
        records = []
        for shown, weight, ohms in self.stored:
            parts = (shown.year, shown.month, shown.day, shown.hour, shown.minute, shown.second)
            head = self.frame(weight, ohms, 0 if ohms else 1)
            records.append(Send("FFF4", head + struct.pack(">HBBBBB", *parts)))
        if self.links == 1:
            return [*records[:2], HangUp()]
        return [*records, Send("FFF4", b"\xf2\x00")]

    def weighing(self) -> list[Act]:
        self.expect("bodyMass", 77.9)
        self.expect("impedance", 500.1)
        live = [Send("FFF4", self.frame(weight, 0, 1)) for weight in (6540, 7785)]
        final = Send("FFF4", self.frame(7790, 5001, 0))
        return [*live, final, final, Done()]

    def frame(self, weight: int, ohms: int, state: int) -> bytes:
        """A weight; the state is 0 final, 1 live or without impedance."""
        return xor(struct.pack("<BHHIB", 0xCF, ohms, weight, 0, state))


class NewerScale(Script):
    """Sends what it has stored, and a weighing, once it was given the time and a person."""

    definition = "lefu-ab2a"
    name = "1byone scale"
    table = {"FFB0": {"FFB1": WRITE, "FFB2": NOTIFY}}

    def __init__(self) -> None:
        super().__init__()
        now = int(time.time())
        self.stored = [(now - 3600 * hours, 76500 + 10 * hours, 510 + hours) for hours in (30, 6)]
        for seconds, grams, ohms in self.stored:
            self.expect("bodyMass", grams / 1000, datetime.fromtimestamp(seconds, UTC))
            self.expect("impedance", ohms, datetime.fromtimestamp(seconds, UTC))

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        self.check(len(value) == 20 and value[:2].hex() == "ab2a", f"unknown: {text}")
        self.check(sum8(value[2:-1]) == value[2:], f"checksum: {text}")
        seconds = int.from_bytes(value[2:6], "big")
        self.check(abs(seconds - time.time()) < 60, f"time: {text}")
        self.check(value[18] in (0xD4, 0xD7), f"end: {text}")
        acts: list[Act] = [Send("FFB2", self.record(*record)) for record in self.stored]
        if self.links == 1:
            return [acts[0], HangUp()]
        self.expect("bodyMass", 76.9)
        self.expect("impedance", 505)
        impedance = bytes.fromhex("ab2a0100") + struct.pack(">H", 505) + bytes(14)
        return [
            *acts, self.weight(71400, 0), self.weight(76900, 0x80), self.weight(76900, 0x80),
            Send("FFB2", impedance), Done(),
        ]  # fmt: skip

    def record(self, seconds: int, grams: int, ohms: int) -> bytes:
        """A stored weighing."""
        head = bytes.fromhex("ab2a00") + struct.pack(">IB", seconds, 0x80)
        return head + grams.to_bytes(3, "big") + bytes(4) + struct.pack(">H", ohms) + bytes(3)

    def weight(self, grams: int, state: int) -> Send:
        """A live weight, final with 80h; above its eighteen bits are flags."""
        head = bytes.fromhex("ab2a") + bytes([state]) + (grams | 0x8C0000).to_bytes(3, "big")
        return Send("FFB2", head + bytes(14))
