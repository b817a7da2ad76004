"""Uses a page as a browser without scripts does: reads it, and sends the forms that it shows.

    pages.py CENTRE-IP CA.crt COOKIES claim CODE
    pages.py CENTRE-IP CA.crt COOKIES get PATH
    pages.py - - COOKIES get PATH              the page of the box in whose network it runs
    pages.py … send PATH ACTION-END [NAME=VALUE …]   the form whose action ends so
"""
import html.parser
import http.cookiejar
import os
import re
import socket
import ssl
import sys
import urllib.parse
import urllib.request

ip, authority, cookies, verb, *rest = sys.argv[1:]
root = "http://127.0.0.1:8473" if ip == "-" else "https://centre.example"
jar = http.cookiejar.LWPCookieJar(cookies)
if os.path.exists(cookies):
    jar.load(ignore_discard=True)
handlers = [urllib.request.HTTPCookieProcessor(jar)]
if ip != "-":
    # The name stands in no resolver of the machine that runs this.
    known = socket.getaddrinfo
    socket.getaddrinfo = lambda host, *others, **named: known(
        ip if host == "centre.example" else host, *others, **named)
    handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority)))
opener = urllib.request.build_opener(*handlers)


class Forms(html.parser.HTMLParser):
    """The forms of a page, with the fields that they send by themselves."""

    def __init__(self, text):
        super().__init__()
        self.forms = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "form":
            self.forms.append((named.get("action", ""), {}))
        elif tag == "input" and self.forms and named.get("name"):
            if named.get("type") not in ("radio", "checkbox", "file") or "checked" in named:
                self.forms[-1][1][named["name"]] = named.get("value") or ""


def ask(path, fields=None):
    data = urllib.parse.urlencode(fields).encode() if fields is not None else None
    request = urllib.request.Request(root + path, data=data, headers={"Accept-Language": "en"})
    if data is not None:
        request.add_header("Origin", root)
    with opener.open(request, timeout=30) as answer:
        text = answer.read().decode()
    jar.save(ignore_discard=True)
    return text


def send(path, end, given):
    forms = [form for form in Forms(ask(path)).forms if form[0].endswith(end)]
    if not forms:
        sys.exit(f"{path} has no form {end}")
    return ask(forms[0][0], {**forms[0][1], **given})


if verb == "claim":
    passcode = "correct horse battery"
    send("/claim", "/claim", {
        "code": rest[0], "account": "nora", "name": "Nora", "new": passcode, "again": passcode})
elif verb == "get":
    print(ask(rest[0]))
elif verb == "send":
    path, end, *values = rest
    print(re.sub(r"\s+", " ", send(path, end, dict(value.split("=", 1) for value in values))))
