"""A server of ntfy for tests: publishes, replaces, deletes, delays and limits as version 2.16 does.

Source: docs.ntfy.sh/publish. With `older`, it behaves as a server before 2.16: it knows no `sequence_id`,
so that the same message twice is two, and takes nothing back. Its clock is moved by `advance`.
"""

import http.server
import json
import secrets
import ssl
import threading

LONGEST = 4096
DELAYS = (10, 3 * 86_400)


class Ntfy:
    """The server's messages: what telephones show, what waits for its time, and all that was ever sent."""

    def __init__(self, older=False, token=None, burst=60):
        self.older, self.token, self.burst = older, token, burst
        self.now = 1_795_000_000
        self.allowance = burst
        self.shown, self.waiting, self.rung = [], [], []
        self.lock = threading.RLock()

    def advance(self, seconds):
        """Moves the clock; what is due is sent."""
        with self.lock:
            self.now += seconds
            self.allowance = min(self.burst, self.allowance + seconds // 5)
            for message in [m for m in self.waiting if m["time"] <= self.now]:
                self.waiting.remove(message)
                self.show(message)

    def show(self, message):
        self.remove(message)
        self.shown.append(message)
        self.rung.append(message)

    def remove(self, message):
        """Removes earlier messages of the same name in the topic; says whether there were any."""
        def is_same(other):
            return not self.older and (other["topic"], other["sequence_id"]) == (
                message["topic"], message["sequence_id"])

        before = len(self.shown) + len(self.waiting)
        self.shown = [other for other in self.shown if not is_same(other)]
        self.waiting = [other for other in self.waiting if not is_same(other)]
        return len(self.shown) + len(self.waiting) != before

    def publish(self, fields):
        """The status and answer of a message."""
        with self.lock:
            if self.allowance < 1:
                return 429, {"code": 42901, "http": 429, "error": "limit reached: too many requests"}
            self.allowance -= 1
            if not isinstance(fields.get("topic"), str):
                return 400, {"code": 40009, "http": 400, "error": "invalid request: topic invalid"}
            if len(fields.get("actions", [])) > 3:
                return 400, {"code": 40018, "http": 400, "error": "invalid request: actions invalid; max 3"}
            if len(fields.get("message", "").encode()) > LONGEST:
                return 413, {"code": 41301, "http": 413, "error": "attachment too large"}
            number = secrets.token_hex(6)
            message = {"id": number, "time": self.now, "event": "message", "topic": fields["topic"],
                       "message": fields.get("message") or "triggered"}
            message |= {key: fields[key] for key in ("title", "priority", "tags", "click", "actions") if key in fields}
            if not self.older:
                message["sequence_id"] = fields.get("sequence_id", number)
            if "delay" in fields:
                delay = int(fields["delay"].removesuffix("s"))
                if not DELAYS[0] <= delay <= DELAYS[1]:
                    return 400, {"code": 40004, "http": 400, "error": "invalid delay parameter"}
                message["time"] += delay
                self.remove(message)
                self.waiting.append(message)
            else:
                self.show(message)
            return 200, message

    def delete(self, topic, name):
        with self.lock:
            if self.older:
                return 404, {"code": 40401, "http": 404, "error": "page not found"}
            self.remove({"topic": topic, "sequence_id": name})
            return 200, {"id": secrets.token_hex(6), "time": self.now, "event": "message_delete",
                         "topic": topic, "sequence_id": name}


    def clear(self, topic, name):
        """Marks a message as read: it stays on telephones, and rings no more."""
        with self.lock:
            if self.older:
                return 404, {"code": 40401, "http": 404, "error": "page not found"}
            for message in self.shown:
                if (message["topic"], message["sequence_id"]) == (topic, name):
                    message["read"] = True
            return 200, {"id": secrets.token_hex(6), "time": self.now, "event": "message_clear",
                         "topic": topic, "sequence_id": name}


def serve(ntfy, context: ssl.SSLContext | None = None):
    """Serves on a free port of this machine; returns the server, whose `server_port` it is."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def answer(self, status, content):
            body = json.dumps(content).encode()
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "5")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def is_let_in(self):
            if ntfy.token is None or self.headers.get("Authorization") == f"Bearer {ntfy.token}":
                return True
            self.answer(403, {"code": 40301, "http": 403, "error": "forbidden"})
            return False

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not self.is_let_in():
                return
            try:
                fields = json.loads(body)
            except ValueError:
                return self.answer(400, {"code": 40024, "http": 400, "error": "request body must be JSON"})
            self.answer(*ntfy.publish(fields))

        def do_PUT(self):
            """`PUT /TOPIC` with headers publishes, `PUT /TOPIC/NAME/clear` marks as read."""
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not self.is_let_in():
                return
            parts = self.path.split("/")[1:]
            if len(parts) == 3 and parts[2] == "clear":
                return self.answer(*ntfy.clear(parts[0], parts[1]))
            if len(parts) not in (1, 2):
                return self.answer(404, {})
            names = {"title": "Title", "click": "Click", "delay": "Delay"}
            fields = {key: self.headers[name] for key, name in names.items() if name in self.headers}
            name = parts[1] if len(parts) == 2 else self.headers.get("X-Sequence-ID")
            fields |= {"sequence_id": name} if name else {}
            self.answer(*ntfy.publish(fields | {"topic": parts[0], "message": body.decode()}))

        def do_DELETE(self):
            if self.is_let_in():
                parts = self.path.split("/")
                self.answer(*(ntfy.delete(parts[1], parts[2]) if len(parts) == 3 else (404, {})))

        def do_GET(self):
            self.answer(200, {"healthy": True}) if self.path == "/v1/health" else self.answer(404, {})

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
