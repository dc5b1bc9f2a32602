#!/bin/bash
# Started by test/support/container.ts as root, in a mount namespace of its own, told (TERM) when
# that dies. True already: the host has dockerd, tini and a kernel with cgroup v2.
# Promise: a dockerd of its own listens on $1/d.sock, with the cgroup $2 for itself and all of its
# containers; whenever this ends nothing of it runs any more. Files stay for whoever made $1.
set -eu
directory=$1
name=$2

mount --make-rprivate /
umount -R /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
cgroup=/sys/fs/cgroup/$name
mkdir "$cgroup" "$cgroup/engine"

(
  echo 0 >"$cgroup/engine/cgroup.procs"
  # what the engine leaves behind has somebody to reap it
  exec tini -s -- dockerd --data-root "$directory/data" --exec-root "$directory/exec" \
    -H "unix://$directory/d.sock" --pidfile "$directory/d.pid" --cgroup-parent "/$name/containers" \
    --exec-opt native.cgroupdriver=cgroupfs --iptables=false --ip6tables=false --bridge=none \
    --ip-forward=false
) &
engine=$!

trap 'kill -TERM "$engine" 2>/dev/null' TERM
wait "$engine" || :
for _ in {1..100}; do
  kill -0 "$engine" 2>/dev/null || break
  sleep 0.1
done

echo 1 >"$cgroup/cgroup.kill"
for _ in {1..100}; do
  grep -q 'populated 0' "$cgroup/cgroup.events" && break
  sleep 0.1
done
find "$cgroup" -depth -type d -exec rmdir {} +
