"""The page below a path, as Home Assistant's ingress shows it to a person whom it has signed in."""

import http.client
import http.server
import json
import re
import socket
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request

PREFIX = "/api/hassio_ingress/kq4"
PERSON = "3f2a5c"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy(http.server.BaseHTTPRequestHandler):
    """Takes the path away, says who it is, and passes everything on as it comes; streams, too."""
    protocol_version = "HTTP/1.1"
    port = 0
    # Addresses that a page asked for beside its path.
    astray = []

    def log_message(self, *_):
        pass

    def pass_on(self):
        if not self.path.startswith(PREFIX + "/"):
            self.astray.append(self.path)
            return self.send_error(404)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fields = {name: value for name, value in self.headers.items()
                  if name.lower() not in ("connection", "accept-encoding")}
        fields |= {"X-Ingress-Path": PREFIX, "X-Remote-User-Id": PERSON}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(self.command, self.path[len(PREFIX):], body or None, fields)
            answer = connection.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            while piece := answer.read1(64 << 10):
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            pass
        finally:
            connection.close()
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = pass_on


class Box:
    """The demo's week, served by the daemon behind the proxy."""

    def __init__(self, program, folder):
        # Accounts are beside a store: this one's are its own.
        folder = folder / "ingress"
        folder.mkdir()
        store = folder / "ingress.sqlite"
        subprocess.run([program, "demo", "--no-serve", "--store", store], check=True, capture_output=True, timeout=180)
        port = free_port()
        (folder / "ingress.yaml").write_text(
            f"store: {store}\npage:\n  listen: 127.0.0.1:{port}\n"
            f"  ingress: {{address: 127.0.0.1, accounts: {{{PERSON}: admin}}}}\n")
        self.process = subprocess.Popen(
            [program, "run", "--settings", folder / "ingress.yaml"], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, bufsize=1)
        for line in self.process.stdout:
            if code := re.search(r"enter (\S+), within", line):
                break
        threading.Thread(target=lambda: list(self.process.stdout), daemon=True).start()
        form = urllib.parse.urlencode({
            "code": code[1], "account": "admin", "name": "Ada", "new": "correct horse battery",
            "again": "correct horse battery"}).encode()
        # Whoever claims a box is signed in by a cookie.
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        for attempt in range(50):
            try:
                opener.open(f"http://127.0.0.1:{port}/claim", form, timeout=10).close()
                break
            except urllib.error.URLError as error:
                if isinstance(error, urllib.error.HTTPError) or attempt == 49:
                    raise
                threading.Event().wait(0.1)
        Proxy.port = port
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}{PREFIX}"

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        self.server.shutdown()


def walk(box, pages, walk, options, faults):
    """Opens every page below the path once; nothing may be asked for beside it."""
    options = type(options)(**{**vars(options), "one_dress": True, "screenshots": None,
                               "sizes": {"phone": options.sizes["phone"]}, "languages": options.languages[:1]})
    # A page that is not there is known by its address without the path.
    count = walk(box, {name: page for name, page in pages.items() if name != "missing"}, options, faults)
    faults += [f"ingress: {path} is beside the path" for path in sorted(set(Proxy.astray) - {"/favicon.ico"})]
    return count
