# Peer: what jq can reasonably do in one process over all files (jq -n -c -f last-entry.jq FILE...).
# Per file the last entry with the most messages, with its reply, developer as system, tools flattened.
# Left out: the union of tools over a session's entries (a map per entry makes jq far slower yet), so
# the tools are those of the chosen entry. jq reads numbers as doubles and so may change their text.
def record:
  { messages: (.request.messages + [.response.choices[0].message | select(. != null)]
      | map(if .role == "developer" then .role = "system" else . end)),
    tools: [.request.tools[]? | .function // .] };

foreach ((inputs | {file: input_filename, entry: .}), {file: null, entry: null}) as $next (
  {file: null, best: null, done: null};
  if $next.file != .file then {file: $next.file, best: $next.entry, done: .best}
  elif ($next.entry.request.messages | length) >= (.best.request.messages | length)
    then .best = $next.entry | .done = null
  else .done = null end;
  select(.done != null) | .done | record)
