"""app_test.py PROGRAM: the app's configuration, its translations, and the settings that its start makes."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import jsonschema
import yaml

program = sys.argv[1]
app = pathlib.Path("app")
failures = []


def check(name, holds, seen=""):
    print(("ok   " if holds else "FAIL ") + name + (f": {seen}" if not holds else ""), flush=True)
    if not holds:
        failures.append(name)


config = yaml.safe_load((app / "config.yaml").read_text())
schema = json.loads(pathlib.Path("Tests/App/config.schema.json").read_text())
errors = [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(config)]
check("the configuration follows its schema", not errors, errors)
check("every option has a type", set(config["options"]) == set(config["schema"]))
for language in ("en", "zh-Hant"):
    words = yaml.safe_load((app / "translations" / f"{language}.yaml").read_text())["configuration"]
    check(f"every option has words: {language}", set(words) == set(config["schema"]), words)
for name in ("DOCS.md", "DOCS.zh-Hant.md"):
    check(f"{name} says what was not tried", "Supervisor" in (app / name).read_text())


class Supervisor(http.server.BaseHTTPRequestHandler):
    """Tells the broker, as the Supervisor does; or that there is none."""
    broker = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        is_let_in = self.headers["Authorization"] == "Bearer word" and self.path == "/services/mqtt"
        body = json.dumps({"result": "ok", "data": self.broker} if self.broker and is_let_in else {}).encode()
        self.send_response(200 if self.broker and is_let_in else 400)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Supervisor)
threading.Thread(target=server.serve_forever, daemon=True).start()


def settings(options, broker):
    Supervisor.broker = broker
    folder = pathlib.Path(tempfile.mkdtemp(prefix="app-"))
    (folder / "options.json").write_text(json.dumps(options))
    run = subprocess.run(
        ["bash", "app/run.sh"], capture_output=True, text=True, timeout=60, env={
            **os.environ, "OPTIONS": str(folder / "options.json"), "FOLDER": str(folder), "PROGRAM": "echo",
            "SUPERVISOR": f"http://127.0.0.1:{server.server_port}", "SUPERVISOR_TOKEN": "word"})
    check("it starts", run.returncode == 0 and run.stdout == f"run --settings {folder}/measured.yaml\n", run)
    return folder, yaml.safe_load((folder / "measured.yaml").read_text())


folder, made = settings(config["options"], None)
check("without a broker nothing leaves", "outlets" not in made, made)
check("nobody is let in at first", made["page"]["ingress"] == {"address": "172.30.32.2", "accounts": {}}, made)
odd = 'a"b: {c} #d \\ é'
folder, made = settings(
    {"accounts": [{"id": "3f2a", "account": "nora"}], "people": ["ann"]},
    {"host": "127.0.0.1", "port": 1, "ssl": False, "username": odd, "password": odd})
outlet = made["outlets"]["home"]
check("the broker is the Supervisor's", (outlet["address"], outlet["user"], outlet["people"]) ==
      ("mqtt://127.0.0.1:1", odd, ["ann"]), outlet)
check("a person has an account", made["page"]["ingress"]["accounts"] == {"3f2a": "nora"}, made)
for name in ("broker-password", "home-token", "measured.yaml"):
    check(f"{name} is for the app alone", (folder / name).stat().st_mode & 0o077 == 0)
run = subprocess.run([program, "outlet", "test", "home", "--settings", str(folder / "measured.yaml")],
                     capture_output=True, text=True, timeout=60, env={**os.environ, "LC_ALL": "C"})
check("the program reads the settings", "127.0.0.1 does not answer" in run.stdout, run)
print(f"{len(failures)} failed: {failures}" if failures else "all is well")
sys.exit(1 if failures else 0)
