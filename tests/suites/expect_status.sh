#!/bin/sh
# expect_status.sh STATUS PROGRAM [ARGUMENT...]: fails unless PROGRAM ends with STATUS.
expected=$1
shift
"$@"
found=$?
[ "$found" -eq "$expected" ] && exit 0
echo "expect_status.sh: exit status $found, expected $expected: $*" >&2
exit 1
