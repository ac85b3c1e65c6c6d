#!/usr/bin/env bash
# Asks `zot rpc` a question and prints the answer as it is written. Needs bash and jq.
#
#   examples/rpc/shell/client.sh "what does this project do?" --provider anthropic
#
# Ctrl+C stops the agent. The exit code is 0 for an answer, 1 for a failure and 130 for an answer that was stopped.
set -u

if [ $# -lt 1 ]; then
  echo 'usage: client.sh "question" [flags of zot rpc]' >&2
  exit 2
fi
question=$1
shift

# With job control each job has a process group of its own: a Ctrl+C is ours alone, and we say what it means.
set -m
coproc ZOT { exec zot rpc "$@"; }
zot=$ZOT_PID
# Under numbers of our own: bash keeps those of a coprocess from the jobs it starts.
exec 3<&"${ZOT[0]}" 4>&"${ZOT[1]}" {ZOT[0]}<&- {ZOT[1]}>&-

send() {
  printf '%s\n' "$1" >&4
} 2>/dev/null
trap '' PIPE # it may have ended, which the reader tells

# One jq for all lines. It ends with "done", and its exit code is ours. Of text it leaves out what a model must not do
# to a terminal.
jq --unbuffered --null-input --join-output '
  def shown: explode | map(select(. == 9 or . == 10 or (. >= 32 and . < 127) or . > 159)) | implode;
  foreach (inputs, {type: "gone"}) as $event ({code: 0, complaint: ""};
    if $event.type == "error" then {code: 1, complaint: "error: \($event.message)\n"} else . end;
    . as $state | $event
    | if .type == "text_delta" then .delta | shown
      elif .type == "response" and (.success | not) then "refused: \(.error)\n" | halt_error(1)
      elif .type == "gone" then "error: zot rpc has ended\n" | halt_error(1)
      elif .type == "done" then "\n", ($state.complaint | halt_error($state.code))
      else empty end)
' <&3 4>&- &
reader=$!
exec 3<&-

aborted=
trap 'aborted=yes; send "{\"type\":\"abort\"}"' INT
send "$(jq --null-input --compact-output --arg message "$question" '{id: "1", type: "prompt", message: $message}')"

wait "$reader"
code=$?
while kill -0 "$reader" 2>/dev/null; do # a signal ends `wait` early
  wait "$reader"
  code=$?
done

exec 4>&- # the end of its input is the end of it
wait "$zot"
[ "$aborted" ] && code=130
exit "$code"
