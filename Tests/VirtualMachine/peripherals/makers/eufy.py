"""Eufy's P2, which sends nothing before an encrypted handshake. Source: bdr99/eufylife-ble-client."""

import base64
import hashlib
import struct
import time

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ..scripted import NOTIFY, WRITE, Act, Done, HangUp, Script, Send, xor

OWN_NAME = "A1B2C3D4E5F6A7"


class EufyScale(Script):
    """Exchanges names, and sends what it weighs.

    The link breaks in the middle of the handshake. Afterwards the weight drifts when it is final,
    a frame is damaged on its way, and the impedance comes late.
    """

    definition = "eufy-p2"
    name = "eufy T9148"
    company = 0xFF48
    table = {"FFF0": {"FFF1": WRITE, "FFF2": NOTIFY, "FFF4": NOTIFY}}

    def company_data(self) -> bytes:
        """The address, and a weight that is not final."""
        weight = struct.pack("<BBBHIB", 0xCF, 0, 0, 3120, 0, 1)
        return bytes.fromhex(self.address.replace(":", "")) + weight + bytes(3)

    def linked(self) -> list[Act]:
        self.text = b""
        self.last_write = 0.0
        self.peer_name = ""
        self.listened: set[str] = set()
        return []

    def subscribed(self, characteristic: str) -> list[Act]:
        self.listened.add(characteristic)
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        text = f"{characteristic} {value.hex()}"
        self.check(xor(value[:-1]) == value and 6 <= len(value) <= 20, f"checksum: {text}")
        # It needs a second for a segment; its own text is the answer to the last one.
        has_rested = not self.text or time.time() - self.last_write > 0.7
        self.check(has_rested, f"too soon: {text}")
        self.last_write = time.time()
        operation, count, number, length = value[:4]
        self.check(operation == (0xC2 if self.peer_name else 0xC0), f"not its turn: {text}")
        self.check(number * 15 == len(self.text), f"not in order: {text}")
        self.text += value[4:-1]
        if number + 1 < count:
            return [HangUp()] if self.links == 1 and self.peer_name else []
        self.check(len(self.text) == length, f"length of the text: {text}")
        name, self.text = self.opened(self.text), b""
        if operation == 0xC0:
            self.check(len(name) == 15, f"the name {name}")
            self.check(self.listened == {"FFF2", "FFF4"}, f"listens to {self.listened}")
            self.peer_name = name
            return self.segments(self.sealed(OWN_NAME))
        expected = f"{self.peer_name}_{OWN_NAME}"
        self.check(name == expected, f"{name} is not {expected}")
        return [Send("FFF4", xor(bytes.fromhex("c301000100"))), *self.weighing()]

    def weighing(self) -> list[Act]:
        damaged = bytearray(self.frame(8790, 4360).value)
        damaged[7] ^= 1
        self.expect("bodyMass", 87.90)
        self.expect("impedance", 436)
        return [
            self.frame(6770, 0, state=1),
            self.frame(8800, 0),
            self.frame(8790, 0),
            Send("FFF2", bytes(damaged)),
            self.frame(8790, 4360),
            self.frame(8790, 4360),
            Done(),
        ]

    def frame(self, weight: int, ohms: int, state: int = 0) -> Send:
        """A weight in kg/100 with an impedance in Ω/10, which is 0 until it is measured."""
        body = struct.pack("<HHIBH", ohms, weight, 0, state, 0)
        return Send("FFF2", b"\xcf\x0e" + xor(b"\x00\xcf" + body))

    # The handshake

    def cipher(self) -> Cipher:
        key = hashlib.md5(self.address.replace(":", "").upper().encode()).digest()
        return Cipher(algorithms.AES(key), modes.CBC(b"0" * 16))

    def sealed(self, text: str) -> bytes:
        padder = padding.PKCS7(128).padder()
        padded = padder.update(text.encode()) + padder.finalize()
        encryptor = self.cipher().encryptor()
        return base64.b64encode(encryptor.update(padded) + encryptor.finalize())

    def opened(self, text: bytes) -> str:
        """What was encrypted; a mistake is noted, and gives no text."""
        decryptor, unpadder = self.cipher().decryptor(), padding.PKCS7(128).unpadder()
        try:
            padded = decryptor.update(base64.b64decode(text, validate=True)) + decryptor.finalize()
            return (unpadder.update(padded) + unpadder.finalize()).decode()
        except ValueError as error:
            self.check(False, f"{text} cannot be read: {error}")
            return ""

    def segments(self, text: bytes) -> list[Act]:
        parts = [text[start : start + 15] for start in range(0, len(text), 15)]
        return [
            Send("FFF4", xor(bytes([0xC1, len(parts), number, len(text)]) + part))
            for number, part in enumerate(parts)
        ]
