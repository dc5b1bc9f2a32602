#!/bin/bash
# Started by test/support/systemd.ts as root, in a mount namespace of its own, told (TERM) when
# that dies. True already: the host has systemd-nspawn and a kernel with cgroup v2.
# Promise: a systemd of its own runs on a throw-away copy of the host's files, in the cgroup $1 and
# the scratch directory $2; whenever this ends, by TERM or because the guest has, nothing of it is
# left. $3… go to systemd-nspawn.
set -eu
name=$1
scratch=$2
shift 2

mount --make-rprivate /
umount -R /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
cgroup=/sys/fs/cgroup/$name
mount -t tmpfs -o mode=755 tmpfs "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root" "$cgroup"
mount -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$scratch/root"

(
  echo 0 >"$cgroup/cgroup.procs"
  exec systemd-nspawn -D "$scratch/root" --boot --register=no --keep-unit --private-network \
    --console=pipe --machine="$name" --link-journal=no "$@"
) &
nspawn=$!

# asked politely the guest is down in about two seconds; its systemd would outlive a kill
trap 'kill -TERM "$nspawn" 2>/dev/null' TERM
wait "$nspawn" || :
for _ in {1..50}; do
  kill -0 "$nspawn" 2>/dev/null || break
  sleep 0.1
done

echo 1 >"$cgroup/cgroup.kill"
for _ in {1..100}; do
  grep -q 'populated 0' "$cgroup/cgroup.events" && break
  sleep 0.1
done
find "$cgroup" -depth -type d -exec rmdir {} +
