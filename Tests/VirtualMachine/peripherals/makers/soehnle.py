"""Soehnle's connected scales. Source: oliexdev/openScale."""

import struct
import time
from datetime import datetime

from ..scripted import NOTIFY, READ, WRITE, Act, Done, HangUp, Script, Send, instant, is_now, local

MEASURED, COMMAND, OTHER = (f"352E300{digit}-28E9-40B8-A361-6DB4CCA4147C" for digit in (1, 2, 4))


class SoehnleScale(Script):
    """Gives each user's stored weighings when asked, and keeps them.

    The link breaks after the first user's, which are the latest: those of the second are older.
    """

    definition = "soehnle-shape"
    name = "Shape200"
    table = {
        "352E3000-28E9-40B8-A361-6DB4CCA4147C": {MEASURED: NOTIFY, COMMAND: WRITE, OTHER: NOTIFY},
        "1805": {"2A2B": READ | WRITE | NOTIFY},
        "181C": {
            "2A9F": WRITE | NOTIFY,
            "2A80": READ | WRITE,
            "2A8C": READ | WRITE,
            "2A8E": READ | WRITE,
        },
    }
    # Hours ago, kg/10, Ω at 5 and 50 kHz.
    stored = {1: [(30, 782, 476, 413), (3, 779, 477, 414)], 2: [(55, 805, 520, 460)]}

    def __init__(self) -> None:
        super().__init__()
        self.now = time.time()
        for records in self.stored.values():
            for hours, weight, _low, ohms in records:
                taken = instant(local(self.now - 3600 * hours))
                self.expect("bodyMass", weight / 10, taken)
                self.expect("impedance", ohms, taken)

    def linked(self) -> list[Act]:
        self.is_timed = False
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        if characteristic == "2A2B":
            year, *rest = struct.unpack("<HBBBBB", value[:7])
            shown = datetime(year, *rest)
            self.check(len(value) == 10 and is_now(shown), f"{shown} is not the time: {text}")
            self.check(value[7] == shown.isoweekday(), f"day of the week: {text}")
            self.is_timed = True
            return []
        known = characteristic == COMMAND and value[0] == 9 and 1 <= value[1] <= 7
        self.check(known and len(value) == 2, f"unknown: {text}")
        self.check(self.is_timed, "records are asked for before the time is set")
        return self.records(value[1])

    def records(self, user: int) -> list[Act]:
        acts: list[Act] = [Send(MEASURED, bytes.fromhex("300100030c00000000"))] if user == 1 else []
        for hours, weight, low, ohms in self.stored.get(user, []):
            shown = local(self.now - 3600 * hours)
            parts = (shown.year, shown.month, shown.day, shown.hour, shown.minute, shown.second)
            frame = struct.pack(">BBHBBBBBHHH", 9, user, *parts, weight, low, ohms)
            acts.append(Send(MEASURED, frame))
        if user == 1 and self.links == 1:
            return [*acts, HangUp()]
        return [*acts, Done()] if user == 7 else acts
