#!/usr/bin/env bash
# The steps of action.yml: validates the manifests of FILES, sub-folders included, and, if SIMULATE_FOR is set, simulates
# them. The results go to the log, to the summary of the job and, as annotations, to the lines of the files. Values reach
# the command as arguments, never as code.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mortise() { node "$here/../../cli/bin.js" "$@" --no-color; }

arguments=(-R)
while IFS= read -r file; do
  [ -n "$file" ] && arguments+=(-f "$file")
done <<< "${FILES:-}"
if [ "${#arguments[@]}" = 1 ]; then
  echo '::error::the input files names nothing'
  exit 2
fi

summary=${GITHUB_STEP_SUMMARY:-/dev/null}
run() {
  local output code
  output=$(mortise "$@" 2>&1)
  code=$?
  printf '%s\n' "$output"
  { printf '### mortise %s\n\n' "$1" && printf '%s\n' "$output" | sed 's/^/    /' && printf '\n'; } >> "$summary"
  # Refused objects are annotated one by one; other failures name no line.
  [ "$code" -gt 1 ] && printf '%s\n' "$output" | grep -m 1 '^error: ' | sed 's/^error: /::error::/'
  return "$code"
}

run validate "${arguments[@]}" || failed=$?
mortise validate "${arguments[@]}" -o json 2> /dev/null | node "$here/annotate.ts" || failed=${failed:-$?}
[ -n "${failed:-}" ] && exit "$failed"
[ -z "${SIMULATE_FOR:-}" ] && exit 0
run simulate "${arguments[@]}" --for "$SIMULATE_FOR" --seed "${SEED:-1}" --fail-on "${FAIL_ON:-unplaced}" || failed=$?
[ "${failed:-0}" = 1 ] && echo '::error::the simulation ends with pods that no node can hold; the log names them'
exit "${failed:-0}"
