#!/bin/sh
# Started by launch.sh through setpriv, where a program is to run as another account.
# True already: session, working directory, cgroup, limits and the account with its groups.
# Promise: the program gets its environment here and not before, because what it says (a library
# to load first) must never reach a process that is still root. Exit 78 and a line on stderr when
# the account may not run the program: no retry helps.
# Next: exec, so the pid stays and nothing of this shell remains.
#
# $1 names to unset because a shell set them; then the program, absolute, and its arguments.
# GATEWARDEN_LAUNCH_0, _1, … hold one NAME=value each.
set -u

# word splitting is wanted: several names
# shellcheck disable=SC2086
[ -z "$1" ] || unset -v $1
unset -v PATH
shift

GATEWARDEN_LAUNCH_AT=0
while eval "[ -n \"\${GATEWARDEN_LAUNCH_$GATEWARDEN_LAUNCH_AT+set}\" ]"; do
  # what the shell keeps for itself (UID in some) is refused, and is no reason to end
  eval "command export \"\$GATEWARDEN_LAUNCH_$GATEWARDEN_LAUNCH_AT\"" 2>/dev/null
  unset -v "GATEWARDEN_LAUNCH_$GATEWARDEN_LAUNCH_AT"
  GATEWARDEN_LAUNCH_AT=$((GATEWARDEN_LAUNCH_AT + 1))
done
unset -v GATEWARDEN_LAUNCH_AT

if [ ! -x "$1" ]; then
  echo "gatewarden: this account may not run $1, or cannot reach it" >&2
  exit 78
fi
exec "$@"
