#!/usr/bin/env bash
# root.sh RELEASE: makes the root of another Debian release for the guests, in $VM_WORK/root-RELEASE. A
# second run does nothing. Needs root's rights, as debootstrap does.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
release=$1
root=$VM_WORK/root-$release
[ ! -e "$root" ] || exit 0
bash "$ROOT/.ci/packages" debootstrap debian-archive-keyring
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
# The libraries are those that the host's program needs. With man-db, since systemd-analyze reads the
# manual pages that a unit names.
case $release in
bookworm) libraries=libssl3 ;;
*) libraries=libssl3t64 ;;
esac
"${sudo[@]}" rm -rf "$root.new"
"${sudo[@]}" nice debootstrap --variant=minbase --include="bluez,dbus,systemd,systemd-sysv,\
libpam-systemd,udev,iproute2,kmod,procps,rfkill,polkitd,tzdata,man-db,libbluetooth3,libsqlite3-0,\
libstdc++6,$libraries" "$release" "$root.new" >"$VM_WORK/root-$release.log" 2>&1 ||
  { tail -5 "$VM_WORK/root-$release.log" >&2; exit 1; }
"${sudo[@]}" mv "$root.new" "$root"
