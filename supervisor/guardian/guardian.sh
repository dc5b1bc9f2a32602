#!/bin/sh
# Started by the supervisor as its own user, in a session of its own, with a pipe on stdin.
# True already: every process of that supervisor carries GATEWARDEN_SCOPE=$1… in its environment.
# Promise: when the pipe closes without a farewell (the supervisor was killed), every such
# process is gone within about $2 + 1 seconds; with a farewell nothing is touched.
# Next: the following supervisor sweeps what even this could not end.
#
# Why a shell: Node cannot ask the kernel to be told of a parent's death, and this costs 1 MB.
set -u
prefix=$1
grace_seconds=$2

# The terminal's and the manager's signals are for the supervisor; it says farewell itself.
trap '' HUP INT TERM

groups=''
while IFS=' ' read -r word pid; do
  case $word in
    farewell) exit 0 ;;
    # programs that know nothing of us must be told to stop; workers notice by themselves
    add) groups="$groups $pid" ;;
    remove)
      kept=''
      for group in $groups; do
        [ "$group" = "$pid" ] || kept="$kept $group"
      done
      groups=$kept
      ;;
  esac
done

# pids that carry the prefix now. One grep over all environments: on a busy host a process for
# each of them would take longer than everything else here.
members() {
  grep -lsF "GATEWARDEN_SCOPE=$prefix" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
    echo "$pid"
  done
}

# Only a group with a member of ours is signalled: the number may belong to a stranger by now.
for pid in $(members); do
  for group in $groups; do
    [ "$pid" = "$group" ] && kill -TERM -- "-$group" 2>/dev/null
  done
done

waited=0
while [ "$waited" -lt "$grace_seconds" ] && [ -n "$(members)" ]; do
  sleep 1
  waited=$((waited + 1))
done

tries=0
while [ "$tries" -lt 20 ]; do
  left=$(members)
  [ -n "$left" ] || exit 0
  # word splitting is wanted: one pid an argument
  # shellcheck disable=SC2086
  kill -KILL $left 2>/dev/null
  tries=$((tries + 1))
  sleep 0.1 2>/dev/null || sleep 1
done
exit 1
