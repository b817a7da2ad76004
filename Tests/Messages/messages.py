"""messages.py PROGRAM: what `measured message test` says of real servers, and what they get."""

import email
import email.policy
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.request

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from standardwebhooks.webhooks import Webhook

import ntfy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import check, failures, free_port

PROGRAM = sys.argv[1]
SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
folder = pathlib.Path(tempfile.mkdtemp())


# Certificates


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)


def certificate(name, host, *, days="2", expired=False):
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr",
            "-subj", f"/CN={host}")
    (folder / f"{name}.ext").write_text(f"subjectAltName=DNS:{host}\n")
    if expired:
        (folder / "index.txt").write_text("")
        (folder / "serial").write_text("01\n")
        (folder / "ca.cnf").write_text(
            "[ca]\ndefault_ca=x\n[x]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\n"
            "policy=p\n[p]\ncommonName=supplied\n")
        openssl("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.csr",
                "-out", f"{name}.pem", "-startdate", "20200101000000Z", "-enddate", "20210101000000Z",
                "-extfile", f"{name}.ext", "-notext")
    else:
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", days, "-extfile", f"{name}.ext", "-out", f"{name}.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return context


openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
        "-subj", "/CN=Test authority")
good = certificate("good", "localhost")
expired = certificate("expired", "localhost", expired=True)
foreign = certificate("foreign", "elsewhere.example")


# The program


def measured(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "SSL_CERT_FILE": str(folder / "ca.pem"), "LC_ALL": "C"})


def attempt(channel, *, mail=None):
    """The one result of trying a channel, by its YAML."""
    store = folder / "store.sqlite"
    for path in folder.glob("store.sqlite*"):
        path.unlink()
    (folder / "plan.yaml").write_text(
        "timeZone: Europe/Berlin\npatients: [{id: john}]\ncontacts:\n"
        f"  - {{id: nora, name: {{given: Nora}}, channels: [{channel}]}}\n")
    (folder / "settings.yaml").write_text(f"mail: {mail}\n" if mail else "logLevel: info\n")
    imported = measured("plan", "import", str(folder / "plan.yaml"), "--store", str(store))
    assert imported.returncode == 0, imported.stderr
    run = measured("message", "test", "nora", "--json", "--store", str(store), "--settings",
                   str(folder / "settings.yaml"))
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(lines) == 1, run
    check(f"exit code of {lines[0]['state']}", run.returncode == (0 if lines[0]["state"] == "delivered" else 1),
          run)
    for secret in ("tk_secret", SECRET, "right horse", "wrong horse"):
        check("no secret is printed", secret not in run.stdout + run.stderr)
    return lines[0]


def says(name, result, state, words):
    check(name, result["state"] == state and words in result.get("reason", ""), result)


# Mail


class Mailbox:
    def __init__(self):
        self.mails, self.answer = [], {}

    async def handle_RCPT(self, server, session, envelope, address, options):
        if "RCPT" in self.answer:
            return self.answer["RCPT"]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if "DATA" in self.answer:
            return self.answer["DATA"]
        self.mails.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        return "250 kept"


def sign_in(server, session, envelope, mechanism, data):
    right = LoginPassword(b"box", b"right horse")
    return AuthResult(success=data == right, handled=False)


def mail_server(context, *, starttls=True):
    box = Mailbox()
    options = {"authenticator": sign_in, "auth_required": True}
    if context and starttls:
        controller = Controller(box, hostname="127.0.0.1", port=free_port(), tls_context=context,
                                require_starttls=True,
                                **options)
    else:
        controller = Controller(box, hostname="127.0.0.1", port=free_port(), ssl_context=context,
                                auth_require_tls=False,
                                **options)
    controller.start()
    return box, controller.server.sockets[0].getsockname()[1]


(folder / "right").write_text("right horse\n")
(folder / "wrong").write_text("wrong horse\n")
for name in ("right", "wrong"):
    (folder / name).chmod(0o600)


def mail(port, *, password="right", encryption="starttls", server="localhost"):
    return (f"{{server: {server}, port: {port}, encryption: {encryption}, user: box, "
            f"passwordFile: {folder / password}, from: box@example.org, name: Wäge}}")


NORA = "{email: nora@example.org}"
box, port = mail_server(good)
says("mail by STARTTLS", attempt(NORA, mail=mail(port)), "delivered", "")
check("the mail arrives once", len(box.mails) == 1, box.mails)
if box.mails:
    arrived = box.mails[0]
    check("its subject", arrived["subject"] == "measured: a test", arrived["subject"])
    check("its sender", str(arrived["from"]) == "Wäge <box@example.org>", arrived["from"])
    check("its date and name", bool(arrived["date"]) and arrived["message-id"].endswith("@example.org>"))
    check("its text", arrived.get_content().strip().endswith("Nothing is wrong."), arrived.get_content())
    check("no robot answers it", arrived["auto-submitted"] == "auto-generated")
says("a wrong password", attempt(NORA, mail=mail(port, password="wrong")), "later", "check user, password or token")
box.answer = {"RCPT": "452 4.2.2 mailbox full"}
says("a full mailbox", attempt(NORA, mail=mail(port)), "later", "452 4.2.2 mailbox full")
box.answer = {"DATA": "552 5.2.2 over quota"}
says("a full mailbox after the text", attempt(NORA, mail=mail(port)), "later", "552 5.2.2 over quota")
box.answer = {"RCPT": "550 5.1.1 nobody of that name"}
says("an unknown mailbox", attempt(NORA, mail=mail(port)), "refused", "550 5.1.1 nobody of that name")
box.answer = {}
tls, tls_port = mail_server(good, starttls=False)
says("mail by TLS", attempt(NORA, mail=mail(tls_port, encryption="tls")), "delivered", "")
_, port = mail_server(expired)
says("an expired certificate of mail", attempt(NORA, mail=mail(port)), "later", "certificate has expired")
_, port = mail_server(foreign)
says("another host's certificate of mail", attempt(NORA, mail=mail(port)), "later", "The certificate of localhost")
_, port = mail_server(None)
says("mail without encryption", attempt(NORA, mail=mail(port)), "later", "does not encrypt")
says("no mail server in the settings", attempt(NORA), "later", "The settings name no server")
says("an unknown mail server", attempt(NORA, mail=mail(25, server="nobody.invalid")), "later",
     "There is no server named nobody.invalid")

# ntfy


def channel(server, *, token="tk_secret", scheme="https", host="localhost"):
    return f'{{ntfy: {{server: "{scheme}://{host}:{server.server_port}", topic: box_1, token: {token}}}}}'


newer = ntfy.Ntfy(token="tk_secret")
server = ntfy.serve(newer, good)
says("ntfy", attempt(channel(server)), "delivered", "")
check("it rings once", len(newer.rung) == 1 and newer.rung[0]["title"] == "measured: a test", newer.rung)
says("a wrong token", attempt(channel(server, token="tk_wrong")), "later", "403 forbidden")
newer.allowance = 0
says("too many messages", attempt(channel(server)), "later", "429 limit reached")
older = ntfy.Ntfy(older=True)
says("an older ntfy", attempt(channel(ntfy.serve(older, good))), "delivered", "")
says("an expired certificate", attempt(channel(ntfy.serve(newer, expired))), "later", "certificate has expired")
says("another host's certificate", attempt(channel(ntfy.serve(newer, foreign))), "later",
     "The certificate of localhost")

# The test server itself holds back, replaces and takes back.
newer.allowance = 60
silent = {"topic": "t", "message": "silent", "sequence_id": "s", "delay": "93600s"}
for _ in range(30):
    newer.publish(silent)
    newer.advance(86_400)
check("thirty days of life ring nobody", not [m for m in newer.rung if m["topic"] == "t"])
newer.advance(7_200)
check("then silence rings once", len([m for m in newer.rung if m["topic"] == "t"]) == 1)
newer.publish(silent)
newer.delete("t", "s")
newer.advance(86_400 * 3)
check("what is taken back rings nobody", len([m for m in newer.rung if m["topic"] == "t"]) == 1)

# By headers, and marked as read.


def put(path, body="", **headers):
    request = urllib.request.Request(f"https://localhost:{server.server_port}{path}", data=body.encode(), method="PUT",
                                     headers={"Authorization": "Bearer tk_secret", **headers})
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    with urllib.request.urlopen(request, context=context) as answer:
        return json.load(answer)


newer.allowance = 60
first = put("/h", "one", Title="t", **{"X-Sequence-ID": "n"})
check("a message by headers", first["sequence_id"] == "n" and newer.shown[-1]["message"] == "one", first)
put("/h/n", "two")
check("the same name replaces it", [m["message"] for m in newer.shown if m["topic"] == "h"] == ["two"])
cleared = put("/h/n/clear")
check("it is marked as read", cleared["event"] == "message_clear" and newer.shown[-1]["read"], newer.shown[-1])

# Webhooks


class Receiver(http.server.BaseHTTPRequestHandler):
    taken = []
    status = 204

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Webhook(SECRET).verify(body, dict(self.headers.items()))
        self.taken.append(json.loads(body))
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.end_headers()


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
HOOK = f'{{webhook: {{url: "http://127.0.0.1:{receiver.server_port}/hook", secret: {SECRET}}}}}'
says("a webhook", attempt(HOOK), "delivered", "")
check("its body", [taken["type"] for taken in Receiver.taken] == ["message.created"], Receiver.taken)
Receiver.status = 410
says("a webhook that wants no more", attempt(HOOK), "later", "wants no messages any more")

print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
