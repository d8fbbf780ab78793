#!/usr/bin/env bash
# The steps of action.yml: validates the manifests of FILES and, if SIMULATE_FOR is set, simulates them. The results go to
# the log and to the summary of the job. Values reach the command as arguments, never as code.
set -uo pipefail

arguments=()
while IFS= read -r file; do
  [ -n "$file" ] && arguments+=(-f "$file")
done <<< "$FILES"

summary=${GITHUB_STEP_SUMMARY:-/dev/null}
run() {
  local title=$1 output code
  shift
  output=$("$@" --no-color 2>&1)
  code=$?
  printf '%s\n' "$output"
  { printf '### %s\n\n' "$title" && printf '%s\n' "$output" | sed 's/^/    /' && printf '\n'; } >> "$summary"
  return "$code"
}

run 'mortise validate' mortise validate "${arguments[@]}" || exit $?
[ -z "${SIMULATE_FOR:-}" ] && exit 0
run 'mortise simulate' mortise simulate "${arguments[@]}" --for "$SIMULATE_FOR" --seed "${SEED:-1}" --fail-on "${FAIL_ON:-unplaced}"
