"""ntfy.py at an address outside 127/8: POST /test/advance/SECONDS moves its clock, GET /test/all says every message,
and the topics that the broker beside it keeps."""

import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import ntfy
from broker import Broker

state = ntfy.Ntfy()
broker = Broker((sys.argv[1], int(sys.argv[3])))
threading.Thread(target=broker.serve_forever, daemon=True).start()
ForApps = ntfy.serve(state).RequestHandlerClass


class Handler(ForApps):
    def do_GET(self):
        if self.path != "/test/all":
            return super().do_GET()
        return self.answer(200, {"rung": state.rung, "waiting": state.waiting,
                                 "retained": sorted(broker.retained)})

    def do_POST(self):
        if not self.path.startswith("/test/advance/"):
            return super().do_POST()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        state.advance(int(self.path.rsplit("/", 1)[1]))
        return self.answer(200, {})


http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
