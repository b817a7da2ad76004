# Sourced by vm-test and vm-bench: prepares everything, or says why it cannot and ends; that is no
# failure on a developer's machine, and is one with CI=1.
. setup/settings.sh

unable() {
  echo "The virtual-machine tests are skipped: $1" >&2
  [ "${CI:-}" = 1 ] && exit 1
  exit 0
}
[ "$(uname -s) $(uname -m)" = "Linux x86_64" ] || unable "they need Linux on x86-64."
command -v apt-get >/dev/null || unable "they install Debian packages, and there is no apt-get."
bash "$ROOT/.ci/packages" qemu-system-x86 busybox-static cpio kmod xz-utils zstd binutils gcc \
  libc6-dev python3 python3-venv bluez dbus systemd udev iproute2 ||
  unable "these packages could not be installed."
setup/prepare.sh || unable "the guest could not be made."
setup/stage.sh "${BUILT:-}"
if [ -n "${DEBIAN:-}" ] && ! grep -qx "VERSION_CODENAME=$DEBIAN" /etc/os-release; then
  setup/root.sh "$DEBIAN" || unable "the root of $DEBIAN could not be made."
  export VM_ROOT=$VM_WORK/root-$DEBIAN
fi
