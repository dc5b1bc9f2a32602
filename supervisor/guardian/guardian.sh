#!/bin/sh
# Started by the supervisor as its own user, in a session of its own, with a pipe on stdin.
# True already: every process of that supervisor carries GATEWARDEN_SCOPE=$1… in its environment;
# where it has cgroups, each profile's processes are below one right under $3, this shell is in
# the leaf $5 there, and $4 is the cgroup that the supervisor was started in.
# Promise: when the pipe closes without a farewell (the supervisor was killed), every such
# process is gone within about $2 + 1 seconds, its cgroups too; with a farewell nothing is touched.
# Next: the following supervisor sweeps what even this could not end.
#
# Why a shell: Node cannot ask the kernel to be told of a parent's death, and this costs 1 MB.
set -u
prefix=$1
grace_seconds=$2
tree=${3:-}
origin=${4:-}
leaf=${5:-}

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
tagged() {
  grep -lsF "GATEWARDEN_SCOPE=$prefix" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
    echo "$pid"
  done
}

# the cgroups of profiles: everything in the tree but the leaf that we are in
profiles() {
  [ -n "$tree" ] || return 0
  for cgroup in "$tree"/*/; do
    [ -d "$cgroup" ] && [ "${cgroup%/}" != "$leaf" ] && echo "${cgroup%/}"
  done
}

# pids in them, also of those that scrubbed their environment
contained() {
  profiles | while IFS= read -r cgroup; do
    cat "$cgroup/cgroup.procs" "$cgroup"/*/cgroup.procs "$cgroup"/*/*/cgroup.procs 2>/dev/null
  done
}

members() {
  tagged
  contained
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

profiles | while IFS= read -r cgroup; do
  { echo 1 >"$cgroup/cgroup.kill"; } 2>/dev/null
done

status=1
tries=0
while [ "$tries" -lt 20 ]; do
  left=$(members)
  if [ -z "$left" ]; then
    status=0
    break
  fi
  # word splitting is wanted: one pid an argument
  # shellcheck disable=SC2086
  kill -KILL $left 2>/dev/null
  tries=$((tries + 1))
  sleep 0.1 2>/dev/null || sleep 1
done

if [ -n "$tree" ]; then
  rmdir "$tree"/*/*/*/ "$tree"/*/*/ 2>/dev/null
  profiles | while IFS= read -r cgroup; do
    rmdir "$cgroup" 2>/dev/null
  done
  # out of the leaf, so that it can go
  { echo 0 >"$origin/cgroup.procs"; } 2>/dev/null
  rmdir "$leaf" "$tree" 2>/dev/null
fi
exit "$status"
