#!/usr/bin/env bash
# image.sh RELEASE: makes vmlinux and initrd.gz of an unpacked Debian kernel package.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
release=$1
package=$VM_WORK/kernel-$release
image=$VM_WORK/image
mkdir -p "$image"

# The uncompressed kernel: QEMU enters it directly (PVH), so that the guest, whose processor is
# emulated, need not unpack it.
if [ ! -e "$image/vmlinux" ]; then
  python3 - "$package/boot/vmlinuz-$release" "$image/vmlinux" <<'P'
import lzma, struct, subprocess, sys

image = open(sys.argv[1], "rb").read()
offset, length = struct.unpack_from("<II", image, 0x248)  # payload, after the setup sectors
start = (image[0x1F1] + 1) * 512 + offset
payload = image[start : start + length - 4]
if payload[:6] == b"\xfd7zXZ\0":
    kernel = lzma.LZMADecompressor().decompress(payload)
else:
    kernel = subprocess.run(["zstd", "-dcq"], input=payload, stdout=subprocess.PIPE).stdout
assert kernel[:4] == b"\x7fELF", "an unknown compression"
open(sys.argv[2], "wb").write(kernel)
P
fi

# The initial file system: busybox, the modules in the order of their loading, and init.
[ -e "$package/lib/modules" ] || { mkdir -p "$package/lib"; ln -s ../usr/lib/modules "$package/lib/modules"; }
[ -e "$package/lib/modules/$release/modules.dep" ] || depmod -b "$package" "$release"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{bin,dev,proc,sys,modules,host,upper,root}
cp "$(command -v busybox)" "$tree/bin/busybox"
ln -s busybox "$tree/bin/sh"
add() {
  local list=$1 module file name
  shift
  for module in "$@"; do
    modprobe -d "$package" -S "$release" --show-depends "$module" | awk '$1 == "insmod" {print $2}'
  done | while read -r file; do
    name=$(basename "${file%.xz}")
    [ ! -e "$tree/modules/$name" ] || continue
    case $file in *.xz) xz -dc "$file" ;; *) cat "$file" ;; esac >"$tree/modules/$name"
    echo "$name" >>"$tree/modules/$list"
  done
}
add boot virtio_console virtio_pci 9pnet_virtio 9p overlay
# The ciphers are asked for by name when the kernel pairs; there is no modprobe to find them then.
add bluetooth ctr hmac sha512_generic sha256_generic drbg cmac ecb ccm algif_hash algif_skcipher \
  bluetooth hci_vhci uhid rfcomm bnep
install -m755 "$VM_HOME/guest/init.sh" "$tree/init"
(cd "$tree" && find . | cpio -o -H newc --quiet | gzip -1) >"$image/initrd.gz.new"
mv "$image/initrd.gz.new" "$image/initrd.gz"
