"""Reads what guest/hcimon prints: moments of a link, by the guest's monotonic clock."""

from dataclasses import dataclass

# Opcodes of the monitor header, and LE events (Core Specification, Vol 4 Part E §7.7.65).
EVENT, ACL_OUT, ACL_IN = 3, 4, 5
LE_META, LE_CONNECTED, LE_CONNECTED_ENHANCED, LE_REPORT, LE_EXTENDED_REPORT = (
    0x3E,
    0x01,
    0x0A,
    0x02,
    0x0D,
)


@dataclass
class Moments:
    """When a sensor was first received, linked, gave its first value; in seconds, 0 if it did not."""

    heard: float = 0
    connected: float = 0
    value: float = 0
    confirmed: float = 0
    requests: int = 0  # ATT requests up to the first value


def moments(trace: str, address: str) -> Moments:
    """The moments of the first link to a sensor in a trace."""
    found = Moments()
    octets = bytes.fromhex(address.replace(":", ""))[::-1]
    for line in trace.splitlines():
        words = line.split()
        if len(words) != 4:
            continue
        time, kind, packet = float(words[0]), int(words[2]), bytes.fromhex(words[3])
        if kind == EVENT and packet[0] == LE_META:
            _event(found, time, packet[2], packet, octets)
        elif kind in (ACL_IN, ACL_OUT) and found.connected and packet[6:8] == b"\x04\x00":
            _att(found, time, kind, packet[8])
    return found


def _event(found: Moments, time: float, meta: int, packet: bytes, octets: bytes) -> None:
    if meta in (LE_REPORT, LE_EXTENDED_REPORT) and octets in packet:
        found.heard = found.heard or time
    elif meta in (LE_CONNECTED, LE_CONNECTED_ENHANCED) and octets in packet and packet[3] == 0:
        found.connected = found.connected or time


def _att(found: Moments, time: float, kind: int, opcode: int) -> None:
    if kind == ACL_IN and opcode in (0x1B, 0x1D):
        found.value = found.value or time
    elif kind == ACL_OUT and opcode == 0x1E:
        found.confirmed = found.confirmed or time
    elif kind == ACL_OUT and not found.value and opcode % 2 == 0 and opcode != 0x52:
        found.requests += 1
