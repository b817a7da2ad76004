#!/bin/sh
# The guest's init: the host's file system, read-only under a layer of memory; the folder /out, which
# is the host's too and writable; then agent.sh, under systemd where the command line says so.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
for module in $(cat /modules/boot); do insmod "/modules/$module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro host /host
mount -t tmpfs -o size=512m memory /upper
mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/host,upperdir=/upper/files,workdir=/upper/work guest /root
for module in $(cat /modules/bluetooth); do insmod "/modules/$module"; done

mount -t devtmpfs dev /root/dev
mount -t proc proc /root/proc
mount -t sysfs sys /root/sys
mkdir -p /root/dev/pts /root/dev/shm /root/out
mount -t devpts devpts /root/dev/pts
mount -t tmpfs shm /root/dev/shm
mount -t tmpfs bonds /root/var/lib/bluetooth
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=none out /root/out
for share in $(grep -o 'share[0-9]=[^ ]*' /proc/cmdline); do
  mkdir -p "/root${share#*=}"
  mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro "${share%%=*}" "/root${share#*=}"
done
ln -sf /proc/self/fd /root/dev/fd
for stream in 0:stdin 1:stdout 2:stderr; do
  ln -sf "/proc/self/fd/${stream%:*}" "/root/dev/${stream#*:}"
done
hostname guest
ip link set lo up
agent=$(sed 's/.*agent=\([^ ]*\).*/\1/' /proc/cmdline)

if ! grep -q with-systemd /proc/cmdline; then
  mount -t tmpfs run /root/run
  mkdir -p /root/run/lock /root/run/dbus
  exec chroot /root /bin/bash "$agent"
fi

# Else systemd takes itself for a container, or does what only a machine at home needs; a /tmp of its own
# would hide what the host has there.
rm -f /root/.dockerenv
units=/root/etc/systemd/system
mkdir -p $units
for unit in systemd-hwdb-update.service ldconfig.service systemd-journal-catalog-update.service \
  systemd-update-done.service systemd-tmpfiles-setup.service systemd-tmpfiles-clean.timer \
  systemd-pcrphase.service systemd-pcrphase-sysinit.service \
  systemd-networkd.service systemd-resolved.service systemd-timesyncd.service apparmor.service \
  getty.target serial-getty@ttyS0.service apt-daily.timer docker.service containerd.service \
  postgresql.service ssh.service tmp.mount; do
  ln -sf /dev/null "$units/$unit"
done
cat >$units/agent.service <<UNIT
[Unit]
DefaultDependencies=no
[Service]
ExecStart=/bin/bash $agent
UNIT
exec switch_root /root /lib/systemd/systemd --unit=agent.service --show-status=no --log-target=console
