"""A broker of MQTT 5 that confirms what it is sent, and keeps the topics of what is retained.

Source: OASIS, MQTT Version 5.0, §3.
"""

import socketserver


class Broker(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self, address):
        super().__init__(address, Client)
        self.retained = set()


class Client(socketserver.StreamRequestHandler):
    def handle(self):
        while head := self.rfile.read(1):
            body = self.rfile.read(self.number())
            kind, flags = head[0] >> 4, head[0] & 15
            if kind == 1:  # CONNECT
                self.answer(0x20, bytes([0, 0, 0]))
            elif kind == 3:  # PUBLISH
                end = 2 + int.from_bytes(body[:2])
                quality = flags >> 1 & 3
                if flags & 1:
                    self.server.retained.add(body[2:end].decode())
                if quality:
                    self.answer(0x40 if quality == 1 else 0x50, body[end:end + 2])
            elif kind == 6:  # PUBREL
                self.answer(0x70, body[:2])
            elif kind == 8:  # SUBSCRIBE, of one topic at a time
                self.answer(0x90, body[:2] + bytes([0, 0]))
            elif kind == 12:  # PINGREQ
                self.answer(0xD0, b"")
            elif kind == 14:  # DISCONNECT
                return

    def number(self):
        """The length of what follows, seven bits a byte."""
        value = shift = 0
        while True:
            byte = self.rfile.read(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def answer(self, head, body):
        self.wfile.write(bytes([head, len(body)]) + body)
