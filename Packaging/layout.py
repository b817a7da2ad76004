#!/usr/bin/env python3
"""Packs a tree of files as an OCI image of one layer: layout.py TREE FOLDER --uid N --volume PATH …

The layer is a tar that is sorted, dated by SOURCE_DATE_EPOCH and owned by root, but for the volumes,
which are the user's; zlib's output depends on its version alone. The result is an OCI layout (image-spec
1.1) in FOLDER, and the same as FOLDER/measured-image.tar for `podman load` and `docker load`: a plain archive
around the compressed layer, since podman 4.3 reads none that is compressed by gzip.
"""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def layer(tree, uid, volumes):
    """The tar of the tree."""
    buffer = io.BytesIO()
    paths = sorted(path.relative_to(tree) for path in tree.rglob("*"))
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in paths:
            info = tar.gettarinfo(tree / path, arcname=str(path))
            if not (info.isreg() or info.isdir() or info.issym() or info.islnk()):
                continue
            owned = str(path) in volumes
            info.uid = info.gid = uid if owned else 0
            info.uname = info.gname = ""
            info.mtime = EPOCH
            # Nobody but the owner writes, and the owner of everything but the volumes is root.
            if info.isdir() or info.isreg():
                info.mode = info.mode & ~0o022 & ~0o6000 if str(path) != "tmp" else 0o1777
            with open(tree / path, "rb") if info.isreg() else io.BytesIO() as content:
                tar.addfile(info, content if info.isreg() else None)
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--uid", type=int, required=True)
    parser.add_argument("--volume", action="append", default=[])
    parser.add_argument("--architecture", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--revision", required=True)
    options = parser.parse_args()

    blobs = options.folder / "blobs" / "sha256"
    blobs.mkdir(parents=True, exist_ok=True)
    for old in blobs.iterdir():
        old.unlink()

    def store(content):
        digest = hashlib.sha256(content).hexdigest()
        (blobs / digest).write_bytes(content)
        return {"digest": f"sha256:{digest}", "size": len(content)}

    tar = layer(options.tree, options.uid, set(options.volume))
    packed = gzip.compress(tar, compresslevel=9, mtime=0)
    created = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": "measured",
        "org.opencontainers.image.description": "Measurements from Bluetooth health sensors for care plans",
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.version": options.version,
        "org.opencontainers.image.revision": options.revision,
        "org.opencontainers.image.created": created,
    }
    config = {
        "architecture": options.architecture,
        "os": "linux",
        "created": created,
        "config": {
            "User": f"{options.uid}:{options.uid}",
            "Env": ["PATH=/usr/bin", "HOME=/var/lib/measured", "LIBDISPATCH_LOG=NO", "MALLOC_ARENA_MAX=1"],
            "Entrypoint": ["/usr/bin/measured"],
            "Cmd": ["run"],
            "WorkingDir": "/var/lib/measured",
            "Volumes": {f"/{path}": {} for path in options.volume},
            "ExposedPorts": {"8473/tcp": {}},
            "StopSignal": "SIGTERM",
            "Labels": labels,
            # Read from the archive; the OCI format itself has no place for it.
            "Healthcheck": {"Test": ["CMD", "/usr/bin/measured", "today"], "Interval": 300_000_000_000,
                            "Timeout": 20_000_000_000, "Retries": 3},
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest()]},
        "history": [{"created": created, "created_by": "Packaging/image"}],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **store(canonical(config))},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", **store(packed)}],
        "annotations": labels,
    }
    entry = {"mediaType": manifest["mediaType"], **store(canonical(manifest)),
             "annotations": {"org.opencontainers.image.ref.name": f"measured:{options.version}"},
             "platform": {"architecture": options.architecture, "os": "linux"}}
    (options.folder / "oci-layout").write_bytes(canonical({"imageLayoutVersion": "1.0.0"}))
    (options.folder / "index.json").write_bytes(canonical({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]}))
    # The older format of archives, which every `docker load` and `podman load` reads, with the health check.
    name = hashlib.sha256(canonical(config)).hexdigest()
    parts = {
        "layer.tar": packed,
        f"{name}.json": canonical(config),
        "manifest.json": canonical([
            {"Config": f"{name}.json", "RepoTags": [f"measured:{options.version}"], "Layers": ["layer.tar"]}
        ]),
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in parts.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(content), EPOCH, 0o644
            archive.addfile(info, io.BytesIO(content))
    (options.folder / "measured-image.tar").write_bytes(buffer.getvalue())
    print(f"{options.folder}: {entry['digest']}, {len(packed) / 1e6:.1f} MB compressed")


if __name__ == "__main__":
    sys.exit(main())
