#!/usr/bin/env bash
# octavo serve as a program: where it listens, what a client gets, how it stops.
#
#   serve_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cli/checks.sh
. "$here/checks.sh"

server_pid=
stop_server() { # stop_server SIGNAL: sets code
  kill "-$1" "$server_pid"
  wait "$server_pid"
  code=$?
  server_pid=
}
trap '[ -z "$server_pid" ] || kill -KILL "$server_pid"; chmod -R u+rwX "$work"; rm -rf "$work"' EXIT

start_server() { # start_server ARGUMENTS...: sets port
  "$octavo" serve --port 0 "$@" >stdout 2>stderr </dev/null &
  server_pid=$!
  local waited=0
  until grep -q 'on http://' stderr || [ $((waited += 1)) -gt 600 ]; do sleep 0.1; done
  port=$(sed -n 's#.*on http://127\.0\.0\.1:\([0-9]*\).*#\1#p' stderr)
}

# ask PATH [BODY [HEADER]]: sets answer. A client of bash alone.
ask() {
  local path=$1 body=${2-} header=${3-} method=GET
  [ -z "$body" ] || method=POST
  exec 9<>"/dev/tcp/127.0.0.1/$port" || return 1
  printf '%s %s HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: %s\r\n%s\r\n%s' \
    "$method" "$path" "${#body}" "${header:+$header$'\r\n'}" "$body" >&9
  answer=$(cat <&9)
  exec 9<&-
}
says() { [[ $answer == *"$1"* ]]; }

code=0
start_server
check "says where it listens" test -n "$port"
ask /health
check "is healthy" says '{"status":"ok"}'
ask /v1/models
check "names its model" says '"id":"octavo-nano"'
question='{"messages":[{"role":"user","content":"Text"}],"max_tokens":5}'
ask /v1/chat/completions "$question"
check "answers" says '"finish_reason":'
first=$answer
ask /v1/chat/completions "$question"
check "answers the same again" is "$(sed -n 's/.*"message"://p' <<<"$first")" \
  "$(sed -n 's/.*"message"://p' <<<"$answer")"
ask /v1/chat/completions '{"messages":[{"role":"user","content":"Text"}],"max_tokens":5,"stream":true}'
check "streams to its end" says 'data: [DONE]'
ask /metrics
check "counts" says 'octavo_requests_total{outcome="answered"} 3'
check "prints nothing on stdout" empty stdout
run serve --port "$port"
check "refuses a port in use" is "$code" 7
check "in one line" one_line stderr
stop_server TERM
check "stops when told" is "$code" 0

echo secret >key
start_server --api-key-file key --served-model-name mine
ask /v1/models
check "asks for the key" says '401'
ask /v1/models '' 'Authorization: Bearer secret'
check "takes the key" says '"id":"mine"'
stop_server TERM
check "stops with a key" is "$code" 0

: >nothing
run serve --port 0 --api-key-file nothing
check "refuses an empty key" is "$code" 2
run serve --port 0 --host 192.0.2.1
check "refuses an address of another machine" is "$code" 7
run serve --port 0 --model "$work/none"
check "refuses a model that is not there" is "$code" 3

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
