"""A clinic's FHIR server, in memory: it verifies who asks, and stumbles on demand."""

import base64
import http.server
import json
import threading
import time
import urllib.parse

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Clinic:
    def __init__(self, takes_ids=True, faults=(), keys=None):
        self.takes_ids, self.faults, self.keys = takes_ids, list(faults), keys
        self.resources, self.tokens, self.proofs = {}, {}, set()
        self.met, self.refused, self.requests = [], [], 0
        self.lock = threading.Lock()
        clinic = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                clinic.handle(self, b"")

            def do_POST(self):
                clinic.handle(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}/fhir"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def observations(self):
        with self.lock:
            return [json.loads(json.dumps(one)) for one in self.resources.values()
                    if one["resourceType"] == "Observation"]

    # Answers

    def handle(self, request, body):
        url = urllib.parse.urlsplit(request.path)
        with self.lock:
            self.requests += 1
            status, answer, headers = self.answer(request, url, body)
        if status is None:
            request.close_connection = True
            return
        data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    def answer(self, request, url, body):
        if url.path == "/token":
            return self.token(body)
        if url.path == "/fhir/.well-known/smart-configuration":
            return 200, {"token_endpoint": self.base.replace("/fhir", "/token"),
                         "capabilities": ["client-confidential-asymmetric", "permission-v2"]}, {}  # fmt: skip
        if url.path == "/fhir/metadata":
            # As large as that of a real server.
            rest = [{"type": "Observation", "updateCreate": self.takes_ids}] + [
                {"type": "Basic", "documentation": "x" * 1_000} for _ in range(700)]  # fmt: skip
            return 200, {"resourceType": "CapabilityStatement", "rest": [{"resource": rest}]}, {}
        if self.keys is not None:
            token = request.headers.get("Authorization", "").removeprefix("Bearer ")
            if self.tokens.get(token, 0) < time.time():
                return 401, "{}", {}
        query = urllib.parse.parse_qs(url.query)
        if request.command == "GET":
            return self.search(url.path.removeprefix("/fhir/"), query)
        fault = self.faults.pop(0) if self.faults else None
        if fault:
            self.met.append(fault)
        if fault == "429":
            return 429, "busy", {}
        if fault == "429 Retry-After":
            return 429, "busy", {"Retry-After": "1"}
        if fault == "500":
            return 500, "oops", {}
        if fault == "HTML":
            return 200, "<html>A proxy</html>", {"Content-Type": "text/html"}
        entries = json.loads(body)["entry"]
        answer = {"resourceType": "Bundle", "type": "batch-response", "entry": [
            {"response": self.put(entry["request"]["url"], entry["resource"])} for entry in entries]}  # fmt: skip
        if fault == "cut":
            return None, None, {}
        if fault == "500 after":
            return 500, "oops", {}
        return 200, answer, {}

    def put(self, url, resource):
        if "?" in url:
            value = urllib.parse.unquote(url.split("?identifier=")[1]).split("|")[1]
            found = [key for key, one in self.resources.items()
                     if any(name.get("value") == value for name in one.get("identifier", []))]  # fmt: skip
            if len(found) > 1:
                return {"status": "412 Precondition Failed"}
            key = found[0] if found else f"{resource['resourceType']}/s{len(self.resources)}"
            resource["id"] = key.split("/")[1]
        else:
            key = url
        is_new = key not in self.resources
        self.resources[key] = resource
        return {"status": "201 Created" if is_new else "200 OK"}

    def search(self, kind, query):
        found = [one for one in self.resources.values() if one["resourceType"] == kind]
        for name, values in query.items():
            if name == "identifier":
                value = values[0].split("|")[-1]
                found = [one for one in found if any(i.get("value") == value for i in one.get("identifier", []))]
            elif name == "patient":
                found = [one for one in found if one["subject"]["reference"] == f"Patient/{values[0]}"]
            elif name in ("status", "url"):
                found = [one for one in found if one.get(name) == values[0]]
        page = int(query.get("page", ["0"])[0])
        bundle = {"resourceType": "Bundle", "type": "searchset",
                  "entry": [{"resource": one} for one in found[2 * page:2 * page + 2]]}  # fmt: skip
        if len(found) > 2 * page + 2:
            rest = "&".join(f"{name}={urllib.parse.quote(values[0], safe='')}"
                            for name, values in query.items() if name != "page")
            bundle["link"] = [{"relation": "next", "url": f"{self.base}/{kind}?{rest}&page={page + 1}"}]
        return 200, bundle, {}

    # Tokens

    def token(self, body):
        form = {name: values[0] for name, values in urllib.parse.parse_qs(body.decode()).items()}
        try:
            head, claims, signature = form["client_assertion"].split(".")
            halves = decoded(signature)
            key = self.keys[json.loads(decoded(head))["kid"]]
            number = lambda part: int.from_bytes(decoded(part), "big")  # noqa: E731
            public = ec.EllipticCurvePublicNumbers(number(key["x"]), number(key["y"]), ec.SECP384R1()).public_key()
            public.verify(
                utils.encode_dss_signature(int.from_bytes(halves[:48], "big"), int.from_bytes(halves[48:], "big")),
                f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA384()))
            said = json.loads(decoded(claims))
            assert len(halves) == 96 and json.loads(decoded(head))["alg"] == "ES384", "form"
            assert said["iss"] == said["sub"] == "box-17", "client"
            assert said["aud"] == self.base.replace("/fhir", "/token"), "audience"
            assert time.time() < said["exp"] <= time.time() + 300, "time"
            assert said["jti"] not in self.proofs, "used"
            assert form["grant_type"] == "client_credentials", "grant"
            self.proofs.add(said["jti"])
        except (AssertionError, InvalidSignature, KeyError, ValueError) as fault:
            self.refused.append(str(fault) or type(fault).__name__)
            return 400, {"error": "invalid_client", "error_description": str(fault)}, {}
        token = f"token-{len(self.proofs)}"
        # Soon over, so that another is asked for.
        self.tokens[token] = time.time() + 3
        return 200, {"access_token": token, "token_type": "bearer", "expires_in": 300, "scope": form["scope"]}, {}
