#!/usr/bin/env bash
# root.sh RELEASE: makes the root of another Debian release for the guests, in $VM_WORK/root-RELEASE, with
# the libraries of the program in $VM_WORK/stage. A second run adds those that are missing.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
release=$1
root=$VM_WORK/root-$release
log=$VM_WORK/root-$release.log
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
if [ ! -e "$root" ]; then
  bash "$ROOT/.ci/packages" debootstrap debian-archive-keyring
  # With man-db, since systemd-analyze reads the manual pages that a unit names.
  "${sudo[@]}" rm -rf "$root.new"
  "${sudo[@]}" nice debootstrap --variant=minbase --include="bluez,dbus,systemd,systemd-sysv,\
libpam-systemd,udev,iproute2,kmod,procps,rfkill,polkitd,tzdata,man-db" "$release" "$root.new" >"$log" 2>&1 ||
    { tail -5 "$log" >&2; exit 1; }
  "${sudo[@]}" mv "$root.new" "$root"
fi

# The packages of the libraries that the program loads, by this machine's names. Another release keeps
# a name that it has changed as one that the new package provides. A debug build also loads libraries of
# the toolchain, which no package has: the guests see its folder.
packages=""
for library in $(readelf -d "$VM_WORK/stage/usr/bin/measured" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p'); do
  if [ -z "$(find "$root/usr/lib" -name "$library" -print -quit)" ]; then
    packages+=" $(dpkg -S "*/$library" 2>/dev/null | cut -d: -f1 | sort -u || true)"
  fi
done
[ -n "${packages// /}" ] || exit 0
# shellcheck disable=SC2086
{
  attempt 6 "${sudo[@]}" chroot "$root" apt-get -qq update &&
    attempt 6 "${sudo[@]}" chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
      --no-install-recommends install $packages
} >>"$log" 2>&1 || { tail -5 "$log" >&2; exit 1; }
