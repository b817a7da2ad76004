#!/usr/bin/env python3
"""Lists what a release contains, as SPDX 2.3 in JSON: sbom.py SCRATCH [DEB].

SCRATCH is the folder that `swift build` built in: what the linker took decides what is contained, the
pins of Package.resolved its versions, THIRD-PARTY-NOTICES.txt its licences and copyrights. With the Debian
package the libraries of the system follow, which are loaded and not contained. Ends with an error if
something is contained that the notices do not name.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNTIME = "Apache-2.0 WITH Swift-exception"
PARTS = {"libyaml": "Yams", "llhttp": "swift-nio"}
"""What stands in another one's sources, with a notice of its own."""

ELSEWHERE = {"SystemPackage": "swift-system"}
"""Modules whose folder has another name."""


def version():
    text = (ROOT / "Sources/Terminal/Program.swift").read_text()
    return re.search(r'static let version = "([^"]+)"', text)[1]


def pins():
    """Name in lower case: name as the notices have it, address, version."""
    found = {}
    for pin in json.loads((ROOT / "Package.resolved").read_bytes())["pins"]:
        name = pin["location"].rsplit("/", 1)[-1].removesuffix(".git")
        found[name.lower()] = (name, pin["location"], pin["state"].get("version"))
    return found


def has_sources(folder):
    return any(path.suffix in {".swift", ".c", ".h"} for path in folder.rglob("*")) if folder.is_dir() else False


def linked(scratch):
    """The packages of which the linker took objects."""
    lists = list(scratch.glob("*/release/measured.product/Objects.LinkFileList"))
    if len(lists) != 1:
        sys.exit(f"sbom.py: {scratch} holds no release")
    modules = set(re.findall(r"/([^/]+)\.build/", lists[0].read_text()))
    own = {path.name for path in (ROOT / "Sources").iterdir()}
    packages = set()
    for module in modules - own:
        owners = [ELSEWHERE[module]] if module in ELSEWHERE else [
            folder.name for folder in (scratch / "checkouts").iterdir()
            if any(has_sources(place) for place in (folder / "Sources" / module, folder / module))
            or folder.name.removesuffix(".swift") == module
        ]
        if not owners:
            sys.exit(f"sbom.py: module {module} is of no package")
        # Of two that have a module of this name both are named.
        packages.update(owners)
    return packages


def notices():
    """Name: licence, copyright."""
    found = {}
    text = (ROOT / "THIRD-PARTY-NOTICES.txt").read_text()
    for section in [part.strip("\n") for part in re.split(r"^={80}\n", text, flags=re.M)][1:]:
        first, _, rest = section.partition("\n")
        if first.startswith(("NOTICE of ", "Apache License")):
            continue
        if first.startswith("Under the Apache License 2.0 with Runtime Library Exception"):
            for line in rest.strip().split("\n"):
                name, _, holder = line.partition("Copyright ")
                found[name.strip()] = (RUNTIME if name.startswith("Swift standard") else "Apache-2.0", holder.strip())
            continue
        name = re.split(r"[ ,(]", first.replace("International Components for Unicode", "ICU"))[0]
        holders = [line for line in rest.split("\n") if re.match(r"Copyright\b(?! AND)", line)]
        licence = "Unicode-3.0" if name == "ICU" and "UNICODE LICENSE V3" in rest else "MIT"
        if name == "ICU" and licence == "MIT":
            licence = "Unicode-DFS-2016"
        found[name] = (licence, "\n".join(holders))
    return found


def spdx(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)


def package(name, number, licence, copyright, location=None):
    entry = {
        "SPDXID": spdx(name), "name": name, "downloadLocation": location or "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
        "copyrightText": copyright or "NOASSERTION",
    }
    if number:
        entry["versionInfo"] = number
    return entry


def main():
    scratch = pathlib.Path(sys.argv[1])
    known, texts = pins(), notices()
    contained = linked(scratch)
    unnamed = sorted(name for name in contained if name not in texts)
    if unnamed:
        sys.exit(f"sbom.py: THIRD-PARTY-NOTICES.txt does not name {', '.join(unnamed)}")
    toolchain = {name for name in texts if name.lower() not in known and name not in PARTS}
    absent = sorted(set(texts) - contained - toolchain - {part for part, whole in PARTS.items() if whole in contained})
    if absent:
        sys.exit(f"sbom.py: THIRD-PARTY-NOTICES.txt names {', '.join(absent)}, which is not contained")

    program = package("measured", version(), "Apache-2.0", "The authors of measured")
    program["primaryPackagePurpose"] = "APPLICATION"
    packages, relations = [program], []
    for name in sorted(texts, key=str.lower):
        licence, copyright = texts[name]
        _, location, number = known.get(name.lower(), (name, None, None))
        packages.append(package(name, number, licence, copyright, location and f"git+{location}"))
        relations.append((spdx("measured"), "CONTAINS", spdx(name)))
    if len(sys.argv) > 2:
        depends = subprocess.run(["dpkg-deb", "-f", sys.argv[2], "Depends"], check=True, capture_output=True, text=True)
        for item in depends.stdout.split(","):
            name = re.match(r"\s*([a-z0-9.+-]+)", item)[1]
            if name.startswith("lib") or name == "zlib1g":
                packages.append(package(f"debian-{name}", None, "NOASSERTION", None))
                relations.append((spdx("measured"), "DYNAMIC_LINK", spdx(f"debian-{name}")))

    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    digest = hashlib.sha256(json.dumps([packages, relations], sort_keys=True).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"measured-{version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/measured-{version()}-{digest[:32]}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: measured-sbom"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": spdx("measured")}
        ] + [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations],
    }
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
