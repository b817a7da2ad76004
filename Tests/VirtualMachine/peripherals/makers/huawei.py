"""Huawei's AH100: masked by the address, and in part encrypted.

Source: oliexdev/openScale.
"""

import struct
import time
from datetime import datetime

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ..scripted import NOTIFY, WRITE, Act, Done, HangUp, Script, Send, Wait, instant, is_now, local

COUNTER = bytes.fromhex("4EF764322FDA7632123DEB8790FEA219")
KEY_REST = bytes.fromhex("2A980FDE3456732156")


class HuaweiScale(Script):
    """Registers a user, is set, and sends what it has stored, one for each acknowledgement.

    The link breaks when the second stored result was sent and before its acknowledgement arrives.
    """

    definition = "huawei-ah100"
    name = "AH100"
    table = {"FAA0": {"FAA1": WRITE, "FAA2": NOTIFY}}

    def __init__(self) -> None:
        super().__init__()
        now = time.time()
        self.token: bytes | None = None
        self.stored = [
            (local(now - 3600 * hours), 780 + hours, 530 + hours) for hours in (40, 20, 4)
        ]
        for shown, weight, ohms in self.stored:
            self.expect("bodyMass", weight / 10, instant(shown))
            self.expect("impedance", ohms, instant(shown))
        self.is_live = False

    def linked(self) -> list[Act]:
        self.set: list[int] = []
        self.is_asked = False
        return []

    def subscribed(self, characteristic: str) -> list[Act]:
        return [Wait(0.1), Send("FAA2", bytes.fromhex("bd0100"))]

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        if len(value) < 3 or value[0] not in (0xDB, 0xDC):
            self.check(False, f"unknown: {text}")
            return []
        operation, payload = value[2], self.masked(value[3:])
        if value[0] == 0xDC:
            payload = self.ciphered(payload)
        else:
            # That of the first request for records is 7, whatever it has.
            expected = 7 if operation == 0x0B and len(payload) == 8 else len(payload) + 1
            self.check(value[1] == expected, f"length: {text}")
        if operation in (0x24, 0x25):
            return self.registration(operation, payload)
        self.set.append(operation)
        if operation == 0x08:
            year, *rest = struct.unpack("<HBBBBB", payload[:7])
            shown = datetime(year, *rest)
            self.check(is_now(shown) and payload[7] == shown.isoweekday(), f"{shown}: {text}")
        elif operation == 0x02:
            self.check(payload == b"\x01", f"kilograms: {text}")
        elif operation == 0x09:
            self.check(value[0] == 0xDC and payload[:7] == self.token, f"user: {payload.hex()}")
        elif operation == 0x0B:
            first = payload == (self.token or b"") + b"\x00"
            self.check(payload == b"\x01" if self.is_asked else first, f"records: {payload.hex()}")
            self.check({2, 8, 9} <= set(self.set), f"records before all is set: {self.set}")
            self.is_asked = True
            return self.next_record()
        elif operation == 0x13:
            self.check(payload == b"\x00", f"acknowledgement: {payload.hex()}")
            return self.acknowledged()
        else:
            self.check(operation == 0x0C, f"unknown: {text}")
        return []

    def registration(self, operation: int, token: bytes) -> list[Act]:
        check = token[0] ^ token[1] ^ token[2] ^ token[3] ^ token[4] ^ token[5] ^ token[6]
        self.check(len(token) == 7 and check == 0, f"token: {token.hex()}")
        if operation == 0x25:
            self.token = token
            return [Send("FAA2", bytes.fromhex("bd0127"))]
        return [Send("FAA2", bytes.fromhex("bd0226") + self.masked(bytes([token == self.token])))]

    def next_record(self) -> list[Act]:
        if not self.stored:
            if not self.is_live:
                self.is_live = True
                shown = local(time.time() - 1)
                self.expect("bodyMass", 78.1, instant(shown))
                self.expect("impedance", 540, instant(shown))
                return [Wait(0.2), *self.result(0x0E, shown, 781, 540)]
            return []
        acts = self.result(0x10, *self.stored[0])
        return [*acts, HangUp()] if self.links == 1 and len(self.stored) == 2 else acts

    def acknowledged(self) -> list[Act]:
        if self.is_live:
            return [Done()]
        # What was on its way when the link broke did not arrive.
        if not (self.links == 1 and len(self.stored) == 2):
            self.stored.pop(0)
        return []

    def result(self, operation: int, shown: datetime, weight: int, ohms: int) -> list[Act]:
        """A result and its other half, which says nothing more."""
        parts = (shown.month, shown.day, shown.hour, shown.minute, shown.second, shown.isoweekday())
        plain = struct.pack("<BHHHBBBBBBHB", 1, weight, 280, shown.year, *parts, ohms, 0)
        hidden = self.masked(self.ciphered(plain))
        return [
            Send("FAA2", bytes([0xBC, 0x10, op]) + hidden) for op in (operation, operation | 0x80)
        ]

    def masked(self, data: bytes) -> bytes:
        """The exclusive or with the address, six bytes as they are printed, again and again."""
        address = bytes.fromhex(self.address.replace(":", ""))
        return bytes(byte ^ address[place % 6] for place, byte in enumerate(data))

    def ciphered(self, data: bytes) -> bytes:
        """AES-128 in counter mode, both ways; the key is the masked token and a fixed rest."""
        key = self.masked(self.token or bytes(7)) + KEY_REST
        encryptor = Cipher(algorithms.AES(key), modes.CTR(COUNTER)).encryptor()
        return encryptor.update(data) + encryptor.finalize()
