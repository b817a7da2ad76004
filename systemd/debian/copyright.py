#!/usr/bin/env python3
"""Prints the machine-readable copyright file of the Debian package (DEP-5).

copyright.py LICENSE THIRD-PARTY-NOTICES.txt takes the software that the program contains, its
copyright and its licences from the notices. The text of the Apache License is a file of Debian.
"""

import re
import sys

APACHE = "Apache-2.0"
RUNTIME = "Apache-2.0-with-Swift-exception"
COMMON = "On Debian systems the text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0."


def field(text):
    """The text as the continuation of a field: empty lines are a full stop."""
    return "\n".join(" " + line.rstrip() if line.strip() else " ." for line in text.strip("\n").split("\n"))


def paragraph(name, copyright, licence, text=None, comment=None):
    lines = [f"Files: checkouts/{name}/*", "Copyright: " + "\n           ".join(copyright), f"License: {licence}"]
    if text:
        lines.append(field(text))
    if comment:
        lines += ["Comment:", field(comment)]
    return "\n".join(lines)


def main():
    licence, notices = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
    if "Apache License" not in licence:
        sys.exit("copyright.py: the licence is no longer the Apache License")
    sections = [part.strip("\n") for part in re.split(r"^={80}\n", notices, flags=re.M)][1:]
    own, listed, comments, exception = [], [], {}, None
    for section in sections:
        first, _, rest = section.partition("\n")
        if first.startswith("NOTICE of "):
            comments[first.removeprefix("NOTICE of ")] = section
        elif first == "Apache License":
            exception = rest[rest.index("## Runtime Library Exception"):].partition("\n")[2]
        elif first.startswith("Under the Apache License 2.0 with Runtime Library Exception"):
            for line in rest.strip().split("\n"):
                name, _, holder = line.partition("Copyright ")
                listed.append((name.strip(), holder.strip()))
        else:
            name = re.split(r"[ ,(]", first.replace("International Components for Unicode", "icu"))[0]
            holders = [line for line in rest.split("\n") if re.match(r"Copyright\b(?! AND)", line)]
            if not holders:
                sys.exit(f"copyright.py: no copyright is stated for {first}")
            holders = [re.sub(r"^Copyright (\([cC]\) |© )?", "", line) for line in holders]
            kind = "Unicode" if name == "icu" else "Expat"
            own.append((name, holders, kind + "-" + name.lower(), rest.partition("\n")[2]))
    unknown = set(comments) - {name for name, _ in listed}
    if unknown or exception is None:
        sys.exit(f"copyright.py: the notices have changed: {', '.join(unknown) or 'no exception'}")

    print("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/")
    print("Upstream-Name: measured")
    print("Comment: The program contains the software of the paragraphs on checkouts/, which its build fetches.")
    print("\nFiles: *\nCopyright: The authors of measured\nLicense: " + APACHE)
    for name, holder in listed:
        name = "swift" if name.startswith("Swift standard library") else name
        print("\n" + paragraph(name, [holder], RUNTIME, comment=comments.get(name)))
    for name, holders, kind, text in own:
        print("\n" + paragraph(name, holders, kind, text=text))
    print(f"\nLicense: {APACHE}\n{field(COMMON)}")
    print(f"\nLicense: {RUNTIME}\n{field(COMMON)}\n .\n{field(re.sub(r'(?m)^ +', '', exception))}")


if __name__ == "__main__":
    main()
