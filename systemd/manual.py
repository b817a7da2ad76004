#!/usr/bin/env python3
"""Writes the manual pages and the shells' completions of a program from its own help texts.

manual.py PROGRAM FOLDER makes FOLDER with measured.1, a page for each command, and the completions
measured.bash, _measured (zsh) and measured.fish. The pages are in mdoc(7). Their date is
$SOURCE_DATE_EPOCH, else today.
"""

import datetime
import json
import os
import re
import shutil
import subprocess
import sys

COMPLETIONS = {"bash": "measured.bash", "zsh": "_measured", "fish": "measured.fish"}

# What no help text says, since it concerns every command.
COMMON = r"""
.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev MEASURED_STORE
The store's file, unless
.Fl \-store
names one.
.El
.Sh FILES
.Bl -tag -width Ds
.It Pa /etc/measured/measured.yaml
The settings of the service, with comments.
.It Pa /etc/measured/devices.d/
Further device definitions, which add to those in
.Pa /usr/share/measured/devices/
or replace them.
.It Pa /var/lib/measured/measured.sqlite
The store of the service.
Elsewhere the store of a user is
.Pa ~/.local/state/measured/measured.sqlite .
.It Pa /run/measured/measured.sock
The socket of the service, for members of the group
.Sy measured :
commands beside the service use it, without root's rights.
.It Pa /usr/share/doc/measured/examples/
A plan, and recordings to replay.
.El
.Sh EXIT STATUS
.Bl -tag -width Ds -compact
.It 0
Done.
.It 1
Failed, or the input cannot be read.
.It 2
An argument is malformed.
.It 3
Refused by a rule; the reason is printed.
.It 4
There is nothing with this id.
.El
"""


# MARK: - mdoc

def escaped(text, literal=False):
    """Characters of `text` that roff would take for its own; in literal text all of ASCII's."""
    text = text.replace("\\", "\\e")
    if literal:
        for character, name in {"-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}.items():
            text = text.replace(character, name)
    else:
        text = re.sub(r"(?<![\w-])-(?=-?[a-z])", r"\\-", text)
        text = re.sub(r"\\--(?=[a-z])", r"\\-\\-", text)
    return "".join(c if ord(c) < 128 else "\\[u%04X]" % ord(c) for c in text)


def line(text):
    """A line of text that roff cannot take for a request."""
    return "\\&" + text if text[:1] in (".", "'") else text


def prose(text):
    """Lines of running text: each sentence begins one, none is longer than 78 characters."""
    lines = []
    for sentence in re.split(r"(?<=[.!?:]) (?=[A-Z])", escaped(text)):
        current = ""
        for word in sentence.split():
            if current and len(current) + 1 + len(word) > 76:
                lines.append(line(current))
                current = ""
            current = word if not current else current + " " + word
        lines.append(line(current))
    return lines


def argument(text):
    """One argument of a macro."""
    text = escaped(text, literal=True).replace('"', "\\(dq")
    # A word of two or three letters may be the name of a macro.
    return re.sub(r"(?<!\S)(?=[A-Z][a-z]{1,2}(?!\S))", r"\\&", text)


def literal(lines):
    return [".Bd -literal -offset indent"] + [line(escaped(l, literal=True)) for l in lines] + [".Ed"]


# MARK: - The help

def shown(entries):
    return [entry for entry in entries if entry.get("shouldDisplay", True)]


def arguments(command):
    """The command's arguments, without --help, which all have."""
    return [a for a in shown(command.get("arguments", [])) if a.get("valueName") != "help"]


def commands(command, path=()):
    """The commands below `command` with their paths, depth first."""
    for child in shown(command.get("subcommands", [])):
        if child["commandName"] == "help":
            continue
        below = path + (child["commandName"],)
        yield below, child
        yield from commands(child, below)


def flags(option):
    return " , ".join(
        "Fl " + argument(("" if name["kind"] == "short" else "-") + name["name"])
        for name in option["names"])


def value(option):
    return " Ar " + argument(option["valueName"]) if option["kind"] == "option" else ""


def synopsis(path, command):
    lines = [".Nm measured" + "".join(" Cm " + argument(name) for name in path)]
    if any(child["commandName"] != "help" for child in shown(command.get("subcommands", []))):
        return lines + [".Ar command", ".Op Ar options"]
    # Positional arguments come last, where most people write them.
    for one in sorted(arguments(command), key=lambda a: a["kind"] == "positional"):
        text = (
            "Ar " + argument(one["valueName"]) if one["kind"] == "positional"
            else flags(dict(one, names=[one["preferredName"]])) + value(one))
        dots = " ..." if one["isRepeating"] else ""
        lines.append((".Op " if one["isOptional"] or one.get("defaultValue") else ".") + text + dots)
    return lines


def description(command):
    """The paragraphs of the command's discussion, its examples as literal text."""
    lines = []
    for paragraph in (command.get("discussion") or "").split("\n\n"):
        text, example = [], []
        for one in paragraph.split("\n"):
            if one.startswith("  "):
                example.append(one[2:])
            elif one:
                text.append(one)
        if text or example:
            lines.append(".Pp")
        if text:
            lines += prose(" ".join(text))
        if example:
            lines += literal(example)
    return lines


def options(command):
    entries = arguments(command)
    if not entries:
        return []
    lines = [".Bl -tag -width Ds"]
    for one in entries:
        head = "Ar " + argument(one["valueName"]) if one["kind"] == "positional" else flags(one) + value(one)
        text = one.get("abstract") or ""
        values = one.get("allValues") or []
        if values and not all(re.search(r"\b%s\b" % re.escape(v), text) for v in values):
            text += " One of " + ", ".join(values) + "."
        if one.get("defaultValue") and "Default" not in text:
            text += " Default: " + one["defaultValue"] + "."
        lines += [".It " + head] + prose(text.strip())
    return lines + [".El"]


# MARK: - Pages

class Manual:
    def __init__(self, root, date):
        self.root = root
        self.date = date

    def head(self, name, abstract):
        return [
            ".\\\" Made from the program's help texts.",
            f".Dd {self.date}", f".Dt {name.upper()} 1", ".Os",
            ".Sh NAME", f".Nm {name}", ".Nd " + argument(abstract.rstrip(".")).replace("\\-", "-"),
        ]

    def overview(self):
        lines = self.head("measured", self.root["abstract"])
        lines += [".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar options", ".Nm", ".Fl \\-version", ".Sh DESCRIPTION"]
        lines += description(self.root)[1:]
        lines += [".Pp"] + prose("Every command shows its own help with --help and has a page of its own.")
        lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
        for command in self.top():
            lines += [f".It Xr measured-{command['commandName']} 1"] + prose(command["abstract"])
        lines += [".El"] + COMMON.strip().split("\n")
        lines += [".Sh SEE ALSO", ".Xr btmon 1 ,", ".Xr bluetoothd 8"]
        return lines

    def page(self, command):
        name = command["commandName"]
        lines = self.head("measured-" + name, command["abstract"]) + [".Sh SYNOPSIS"]
        below = list(commands(command, (name,)))
        ends = [(path, one) for path, one in below if not shown(one.get("subcommands", []))] or [((name,), command)]
        for path, one in ends:
            lines += synopsis(path, one)
        text = description(command)
        if len(ends) == 1 and ends[0][1] is command:
            lines += [".Sh DESCRIPTION"] + prose(command["abstract"]) + text
            if arguments(command):
                lines += [".Sh OPTIONS"] + options(command)
        else:
            lines += [".Sh DESCRIPTION"] + prose(command["abstract"]) + text + [".Sh COMMANDS"]
            for path, one in below:
                lines += [".Ss measured " + argument(" ".join(path))]
                lines += prose(one["abstract"]) + description(one) + options(one)
        lines += [".Sh EXIT STATUS", "See", ".Xr measured 1 .", ".Sh SEE ALSO", ".Xr measured 1"]
        return lines

    def top(self):
        return [c for c in shown(self.root["subcommands"]) if c["commandName"] != "help"]


def run(*words):
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, env=environment).stdout.decode()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    root = json.loads(run(program, "--experimental-dump-help"))["command"]
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp())
    day = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    manual = Manual(root, f"{day:%B} {day.day}, {day.year}")
    pages = {"measured.1": manual.overview()}
    for command in manual.top():
        pages[f"measured-{command['commandName']}.1"] = manual.page(command)

    # All or nothing: what is there is complete.
    work = folder + ".new"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name, lines in pages.items():
        with open(os.path.join(work, name), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
    for shell, name in COMPLETIONS.items():
        with open(os.path.join(work, name), "w", encoding="utf-8") as file:
            # Sourced, never run: without the line that names an interpreter.
            file.write(run(program, "--generate-completion-script", shell).removeprefix("#!/bin/bash\n"))
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(work, folder)


if __name__ == "__main__":
    main()
