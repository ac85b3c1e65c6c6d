#!/bin/sh
# A slash command and a tool in a shell script. jq reads and writes the JSON.
# Text goes to jq through pipes: as an argument it could be at most 128 KiB.

if ! command -v jq >/dev/null; then
  echo "shell.sh needs jq" >&2
  exit 1
fi

project=.

# field NAME: a member of the current frame as text, empty when it is missing.
field() { printf '%s\n' "$line" | jq -r "$1 // empty"; }

# display TEXT: the answer to a command.
display() {
  printf '%s' "$1" | jq -Rsc --arg id "$(field .id)" '{type: "command_response", $id, action: "display", display: .}'
}

# result TEXT STATUS: the answer to a tool call.
result() {
  printf '%s' "$1" | jq -Rsc --arg id "$(field .id)" --argjson failed "$2" \
    '{type: "tool_result", $id, content: [{type: "text", text: .}], is_error: ($failed != 0)}'
}

branch() { git -C "$project" branch --show-current 2>/dev/null || echo "no git repository"; }

disk_free() {
  path=$(field .args.path)
  df -h "$project/$path" 2>&1
}

printf '%s\n' '{"type":"hello","name":"shell","version":"1.0.0","capabilities":["commands","tools"]}'
printf '%s\n' '{"type":"register_command","name":"branch","description":"the git branch of the project"}'
jq -nc '{
  type: "register_tool",
  name: "disk_free",
  description: "How much room there is on the disk that holds a file or folder of the project.",
  schema: {
    type: "object",
    properties: {path: {type: "string", description: "relative to the project; the project itself when left out"}}
  }
}'
printf '%s\n' '{"type":"ready"}'

while IFS= read -r line; do
  case $(field .type) in
    hello_ack) project=$(field .cwd) ;;
    command_invoked) display "$(branch)" ;;
    tool_call) text=$(disk_free); result "$text" $? ;;
    shutdown) printf '%s\n' '{"type":"shutdown_ack"}'; exit 0 ;;
  esac
done
