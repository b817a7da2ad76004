"""Yunmai's scales. Source: oliexdev/openScale."""

import struct
import time
from datetime import UTC, datetime

from ..scripted import NOTIFY, WRITE, Act, Done, HangUp, Script, Send, xor


class YunmaiScale(Script):
    """Wants a user, the time and a start; the link breaks before the result.

    Afterwards a result is damaged on its way, the last one comes again, and one has no time.
    """

    definition = "yunmai-scale"
    name = "YUNMAI-ISSE-US"
    table = {"FFE0": {"FFE4": NOTIFY}, "FFE5": {"FFE9": WRITE}}

    def linked(self) -> list[Act]:
        self.user = 0
        self.is_timed = False
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        self.check(value[0] == 0x0D and value[1] == len(value), f"length: {text}")
        self.check(xor(value[:-1], 1) == value, f"checksum: {text}")
        if value[2] == 0x10:
            self.user = int.from_bytes(value[6:8], "big")
            height, sex, _age = value[8:11]
            self.check(100 < height < 250 and sex in (1, 2), f"user: {text}")
            self.check(value[11:13].hex() == "555a" and value[15] == 1, f"kilograms: {text}")
        elif value[2] == 0x11:
            written, rest = struct.unpack(">I5s", value[3:12])
            self.check(abs(written - time.time()) < 60 and rest == bytes(5), f"time: {text}")
            self.is_timed = True
        elif value == bytes.fromhex("0d05130016"):
            self.check(self.user > 0 and self.is_timed, "a start before the user and the time")
            return self.weighing()
        else:
            self.check(False, f"unknown: {text}")
        return []

    def weighing(self) -> list[Act]:
        live = [self.live(7710), self.live(7840)]
        if self.links == 1:
            return [*live, HangUp()]
        now = int(time.time())
        first, second = self.result(now - 3, 7835, 512), self.result(0, 7850, 511)
        damaged = bytearray(self.result(now, 7845, 513).value)
        damaged[14] ^= 1
        taken = datetime.fromtimestamp(now - 3, UTC)
        self.expect("bodyMass", 78.35, taken)
        self.expect("impedance", 512, taken)
        self.expect("bodyMass", 78.50)
        self.expect("impedance", 511)
        return [*live, first, Send("FFE4", bytes(damaged)), first, second, Done()]

    def live(self, weight: int) -> Send:
        """The weight while it settles."""
        return Send("FFE4", xor(struct.pack(">BBBBIH", 0x0D, 0x1E, 11, 1, 0, weight), 1))

    def result(self, seconds: int, weight: int, ohms: int) -> Send:
        """A result with the user that was written; without a time it was taken just now."""
        head = struct.pack(">BBBBB", 0x0D, 0x1E, 20, 2, 0)
        body = struct.pack(">IIHHH", seconds, self.user, weight, ohms, 2144)
        return Send("FFE4", xor(head + body, 1))
