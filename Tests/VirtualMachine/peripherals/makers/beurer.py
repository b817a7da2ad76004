"""Beurer's BF700. Source: oliexdev/openScale and KristianP26/ble-scale-sync."""

import struct
import time
from datetime import UTC, datetime

from ..scripted import NOTIFY, WRITE, Act, Done, HangUp, Script, Send


class BeurerScale(Script):
    """Sends a measurement in three parts, the next one after each acknowledgement.

    The link breaks after the second part; then the measurement comes again as a whole.
    """

    definition = "beurer-bf700"
    name = "BEURER BF700"
    table = {"FFE0": {"FFE1": NOTIFY | WRITE}}

    def __init__(self) -> None:
        super().__init__()
        seconds = int(time.time()) - 5
        taken = datetime.fromtimestamp(seconds, UTC)
        # kg/20, Ω, fat, water, muscle in 0.1 %, bone in 50 g, kcal at rest and in all, index.
        figures = (1549, 437, 223, 521, 397, 233, 1815, 2722, 264)
        whole = struct.pack(">I9H", seconds, *figures)
        self.parts = [bytes([1]) + bytes(7) + b"\x65", whole[:11], whole[11:]]
        self.expect("bodyMass", 77.45, taken)
        self.expect("impedance", 437, taken)
        self.expect("bodyFatPercentage", 22.3, taken)
        self.expect("musclePercentage", 39.7, taken)
        self.expect("basalMetabolicRate", 1815 * 4.184, taken)
        self.expect("bodyMassIndex", 26.4, taken)

    def linked(self) -> list[Act]:
        self.is_greeted = self.is_timed = False
        self.number = 0
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = value.hex()
        if text == "f601":
            self.is_greeted = True
            return [Send("FFE1", bytes.fromhex("f60001"))]
        if value[0] == 0xF9:
            seconds = int.from_bytes(value[1:], "big")
            is_right = len(value) == 5 and abs(seconds - time.time()) < 60
            self.check(self.is_greeted and is_right, f"time: {text}")
            self.is_timed = True
            return []
        if text == "f74d01":
            self.check(self.is_timed, "the unit comes before the time")
            live = [Send("FFE1", bytes.fromhex(frame)) for frame in ("f758010533", "f75800060d")]
            return [*live, *self.part(1)]
        expected = struct.pack(">BBBBB", 0xF7, 0xF1, 0x59, 3, self.number)
        self.check(value == expected, f"acknowledgement of part {self.number}: {text}")
        return [Done()] if self.number == 3 else self.part(self.number + 1)

    def part(self, number: int) -> list[Act]:
        """One of the three parts."""
        self.number = number
        send = Send("FFE1", bytes([0xF7, 0x59, 3, number]) + self.parts[number - 1])
        return [send, HangUp()] if number == 2 and self.links == 1 else [send]
