#!/bin/sh
# The bus in a shell script: an event for each message of other extensions, and a call that sends one.

if ! command -v jq >/dev/null; then
  echo "event-bus-log.sh needs jq" >&2
  exit 1
fi

heard="nothing yet"
granted=
calls=0

# field NAME: a member of the current frame as text, empty when it is missing.
field() { printf '%s\n' "$line" | jq -r "$1 // empty"; }

# display TEXT: the answer to a command.
display() {
  printf '%s' "$1" | jq -Rsc --arg id "$(field .id)" '{type: "command_response", $id, action: "display", display: .}'
}

printf '%s\n' '{"type":"hello","name":"event-bus-log","version":"1.0.0","capabilities":["commands","events","bus"]}'
printf '%s\n' '{"type":"register_command","name":"heard","description":"show the messages of other extensions"}'
printf '%s\n' '{"type":"subscribe","events":["bus:*"]}'
printf '%s\n' '{"type":"ready"}'

while IFS= read -r line; do
  case $(field .type) in
    hello_ack) granted=$(field '.capabilities | index("bus")') ;;
    event) heard=$(field '"\(.from) \(.channel) \(.data | tojson)"') ;;
    command_invoked)
      if [ "$(field .args)" = clear ] && [ -n "$granted" ]; then
        heard="nothing yet"
        calls=$((calls + 1))
        printf '{"type":"host_call","id":"c%d","method":"bus.emit","params":{"channel":"log.cleared"}}\n' "$calls"
      fi
      display "$heard"
      ;;
    shutdown) printf '%s\n' '{"type":"shutdown_ack"}'; exit 0 ;;
  esac
done
