"""Omron's blood-pressure monitor HEM-7155T, whose memory is read.

Sources: userx14/omblepy and eigger/hass-omron.
"""

import struct
import time
from datetime import datetime

from ..scripted import NOTIFY, WRITE, Act, Done, HangUp, Script, Send, instant, local, xor

SERVICE = "ECBE3980-C9A2-11E1-B1BD-0002A5D5C51B"
LOCK = "B305B680-AEE7-11E1-A730-0002A5D5C51B"
COMMANDS = [
    "DB5B55E0-AEE7-11E1-965E-0002A5D5C51B",
    "E0B8A060-AEE7-11E1-92F4-0002A5D5C51B",
    "0AE12B00-AEE8-11E1-A192-0002A5D5C51B",
    "10E1BA60-AEE8-11E1-89E5-0002A5D5C51B",
]
REPLIES = [
    "49123040-AEE8-11E1-A74D-0002A5D5C51B",
    "4D0BF320-AEE8-11E1-A0D9-0002A5D5C51B",
    "5128CE60-AEE8-11E1-B84B-0002A5D5C51B",
    "560F1420-AEE8-11E1-8184-0002A5D5C51B",
]
INDEX = 0x0010
# The first record of each user, and how many there is room for.
REGIONS = [0x0098, 0x0458]
RECORDS, LENGTH = 60, 16


class OmronMonitor(Script):
    """Is paired, programs a key, and gives access to its memory.

    The first link breaks between two records. The second one reads all; then somebody measures
    again, and the third link has to read the new record and the last known ones, and no others.
    The records of the first user begin at the end of their region and go on at its start.
    """

    definition = "omron-hem-7155t"
    name = "BLEsmart_0000011F00B003"
    address = "C4:12:34:56:79:01"
    bonded = True
    table = {
        SERVICE: {LOCK: WRITE | NOTIFY, **dict.fromkeys(COMMANDS, WRITE)}
        | dict.fromkeys(REPLIES, NOTIFY)
    }

    def __init__(self) -> None:
        super().__init__()
        self.memory = bytearray(b"\xff" * 0x1000)
        self.key = b""
        self.next = [RECORDS - 2, 0]
        self.unread = [0, 0]
        self.complete = False
        for user, hours, *values in (
            (0, 70, 126, 88, 84),
            (1, 60, 118, 76, 66),
            (0, 46, 131, 85, 80),
            (0, 22, 128, 83, 79),
            (1, 12, 121, 78, 64),
        ):
            self.measure(user, hours, *values)

    def measure(self, user: int, hours: float, systolic: int, diastolic: int, pulse: int) -> None:
        """Somebody's measurement of some hours ago."""
        shown: datetime = local(time.time() - 3600 * hours)
        day = shown.hour | shown.day << 5 | shown.month << 10
        clock = shown.second | shown.minute << 6
        record = struct.pack(
            "<BBBBHH", systolic - 25, diastolic, pulse, shown.year - 2000, day, clock
        )
        place = REGIONS[user] + self.next[user] * LENGTH
        self.memory[place : place + LENGTH] = record.ljust(LENGTH, b"\0")
        self.next[user] = (self.next[user] + 1) % RECORDS
        self.unread[user] += 1
        self.memory[INDEX : INDEX + 8] = struct.pack("<4H", *self.next, *self.unread)
        taken = instant(shown)
        self.expect("bloodPressureSystolic", systolic, taken)
        self.expect("bloodPressureDiastolic", diastolic, taken)
        self.expect("pulseRate", pulse, taken)

    def linked(self) -> list[Act]:
        self.is_unlocked = self.is_open = False
        self.read: list[int] = []
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        if characteristic == LOCK:
            return [Send(LOCK, self.unlock(value, text))]
        self.check(characteristic == COMMANDS[0] and len(value) == 8 == value[0], text)
        self.check(xor(value[:-1]) == value and self.is_unlocked, f"checksum or lock: {text}")
        operation, address, size = struct.unpack(">HHB", value[1:6])
        if operation == 0x0000:
            self.is_open = True
            return self.reply(0x8000, 0, b"")
        self.check(self.is_open, f"not open: {text}")
        if operation == 0x0F00:
            return self.closed()
        self.check(operation == 0x0100 and address + size <= len(self.memory), f"unknown: {text}")
        if address != INDEX:
            self.read.append(address)
        if self.links == 1 and len(self.read) == 2:
            return [HangUp()]
        return self.reply(0x8100, address, bytes(self.memory[address : address + size]))

    def unlock(self, value: bytes, text: str) -> bytes:
        """Checks or programs the key; it is in its pairing mode until it has one."""
        self.check(len(value) == 17, f"key: {text}")
        key = value[1:]
        if value[0] == 2:
            self.check(not self.key and key == bytes(16), f"pairing mode: {text}")
            return bytes([0x82, 0x00 if not self.key else 0x0F])
        if value[0] == 0:
            self.check(not self.key and key != bytes(16), f"new key: {text}")
            self.key = key
        else:
            self.check(value[0] == 1, f"unknown: {text}")
        self.is_unlocked = key == self.key
        return bytes([0x80 | value[0], 0x00 if self.is_unlocked else 0x0F])

    def reply(self, operation: int, address: int, data: bytes) -> list[Act]:
        """A frame in pieces, each by a characteristic of its own."""
        head = struct.pack(">BHHB", len(data) + 8, operation, address, len(data))
        frame = xor(head + data + b"\0")
        pieces = [frame[start : start + 16] for start in range(0, len(frame), 16)]
        return [Send(*piece) for piece in zip(REPLIES, pieces)]

    def closed(self) -> list[Act]:
        self.is_open = False
        reply = self.reply(0x8F00, 0, b"")
        if not self.complete:
            self.complete = True
            self.measure(0, 0.1, 133, 86, 81)
            return [*reply, HangUp()]
        needed = [REGIONS[0] + LENGTH, REGIONS[0], REGIONS[1] + LENGTH]
        self.check(self.read == needed or self.links > 3, f"read {self.read}, not {needed}")
        return [*reply, Done(), HangUp()]
