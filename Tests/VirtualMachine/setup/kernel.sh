#!/usr/bin/env bash
# Fetches Debian's newest 6.12 kernel package and unpacks it without installing it. Prints the
# kernel's release. A 6.1 kernel (Debian 12's own) has, in its 6.1.192, a bug in L2CAP that kills
# the thread that closes the socket of a sensor that has forgotten its bond.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

kernels=("$VM_WORK"/kernel-*)
if [ -d "${kernels[0]}" ]; then
  basename "${kernels[0]}" | sed s/kernel-//
  exit
fi

newest() {
  apt-cache pkgnames linux-image-6.12 | sed -n 's/^linux-image-\(6\.12\.[0-9]*+deb1[0-9]-amd64\)$/\1/p' |
    sort -V | tail -1
}
release=$(newest)
if [ -z "$release" ]; then
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  attempt 6 "${sudo[@]}" apt-get update -qq >&2
  release=$(newest)
fi
[ -n "$release" ] || { echo "apt knows no linux-image-6.12 package for amd64." >&2; exit 1; }

folder=$(mktemp -d "$VM_WORK/fetch.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
attempt 6 apt-get download -qq "linux-image-$release" >&2
dpkg -x linux-image-*.deb unpacked
mv unpacked "$VM_WORK/kernel-$release"
echo "$release"
