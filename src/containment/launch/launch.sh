#!/bin/sh
# Started by src/containment/launch/launch.ts as the first life of every program that we start.
# True already: session, working directory, environment and descriptors are the program's own.
# Promise: the program starts inside the cgroup, under the limits; its arguments are never
# interpreted and its environment is not changed. Exit 1 and a line on stderr when the cgroup
# cannot be joined: outside of it nothing is started.
# Next: exec, so the pid stays and nothing of this shell remains.
#
# $1 file to join by (or empty), $2 oom_score_adj (or empty), $3 KiB of data (or empty),
# $4 names to unset because the shell itself set them; then the program and its arguments.
# Other variables would leak into the program where the caller has set one of the same name.
set -u

if [ -n "$1" ]; then
  # 0 is whoever writes it
  if ! { echo 0 >"$1"; } 2>/dev/null; then
    echo "gatewarden: could not join the cgroup by $1; the program was not started" >&2
    exit 1
  fi
fi

if [ -n "$2" ]; then
  # raised, never lowered
  if { read -r GATEWARDEN_LAUNCH_NOW </proc/$$/oom_score_adj; } 2>/dev/null; then
    [ "$GATEWARDEN_LAUNCH_NOW" -ge "$2" ] || { echo "$2" >/proc/$$/oom_score_adj; } 2>/dev/null
  fi
  unset -v GATEWARDEN_LAUNCH_NOW
fi

# a stricter limit that is there already stays
[ -z "$3" ] || command ulimit -d "$3" 2>/dev/null || :

# word splitting is wanted: several names
# shellcheck disable=SC2086
[ -z "$4" ] || unset -v $4

shift 4
exec "$@"
