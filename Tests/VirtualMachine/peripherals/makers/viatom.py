"""The finger oximeter PC-60FW. Source: public logs."""

from ..scripted import NOTIFY, WRITE, Act, Done, HangUp, Script, Send, Wait

TRANSMIT = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"


def crc8_maxim(frame: bytes) -> bytes:
    """The frame with a CRC of eight bits behind it, reflected, polynomial 31h."""
    crc = 0
    for byte in frame:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8C if crc & 1 else 0)
    return frame + bytes([crc])


class Oximeter(Script):
    """Sends a stream that is cut anywhere; the link breaks within a frame, which is then lost."""

    definition = "viatom-pc-60fw"
    address = "C4:12:34:56:79:02"
    name = "PC-60FW 4482"
    table = {
        "6E400001-B5A3-F393-E0A9-E50E24DCCA9E": {
            "6E400002-B5A3-F393-E0A9-E50E24DCCA9E": WRITE,
            TRANSMIT: NOTIFY,
        }
    }

    def subscribed(self, characteristic: str) -> list[Act]:
        pause = Wait(0.1)
        battery = bytes.fromhex("aa55f0030303f6")
        curve = bytes.fromhex("aa550f07025a57d24c45a7")
        if self.links == 1:
            first, second = self.measured(97, 61), self.measured(98, 62)
            cut = self.frame(96, 63)[:7]
            return [pause, Send(TRANSMIT, first + battery + second[:2]), pause] + [
                Send(TRANSMIT, second[2:] + cut),
                HangUp(),
            ]
        third, fourth = self.measured(95, 64), self.measured(94, 65)
        damaged = bytearray(self.frame(93, 66))
        damaged[5] ^= 0x10
        acts = [pause, Send(TRANSMIT, third[:3]), pause, Send(TRANSMIT, third[3:] + curve), pause]
        return [
            *acts,
            Send(TRANSMIT, bytes(damaged) + fourth[:5]),
            pause,
            Send(TRANSMIT, fourth[5:]),
            Done(),
        ]

    def frame(self, saturation: int, pulse: int) -> bytes:
        """A measurement; the perfusion index is a tenth of the pulse."""
        return crc8_maxim(bytes([0xAA, 0x55, 0x0F, 8, 1, saturation, pulse, 0, pulse, 0, 0xC0]))

    def measured(self, saturation: int, pulse: int) -> bytes:
        """A measurement that has to be stored."""
        self.expect("oxygenSaturation", saturation)
        self.expect("pulseRate", pulse)
        self.expect("pulseAmplitudeIndex", pulse / 10)
        return self.frame(saturation, pulse)
