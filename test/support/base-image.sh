#!/bin/bash
# Started by test/support/container.ts as root: fills the folder $1 with a root of busybox, the
# node at $2, s6, execline and tini, with their libraries. True already: all of these are
# installed here. Promise: enough for the image to be built on and to boot, without any network.
set -eu
root=$1
node=$2
mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,usr/local/bin,etc,tmp,run,proc,sys,dev,var,root}
chmod 1777 "$root/tmp"
cp "$(command -v busybox)" "$root/bin/busybox"
chroot "$root" /bin/busybox --install -s

programs=(/usr/bin/s6-* "$(command -v tini)" "$(command -v execlineb)" "$(command -v getconf)")
mapfile -t libraries < <(ldd "$node" "${programs[@]}" 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*' | sort -u)
for library in "${libraries[@]}"; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
# busybox has some names of its own
cp -L --remove-destination "${programs[@]}" "$root/usr/bin/"
cp -L "$node" "$root/usr/local/bin/node"

printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$root/etc/nsswitch.conf"
