#!/usr/bin/env bash
# Scores this project: a weighted mean of its components against THRESHOLD. 0 pass, 1 fail, 2 could not be scored.
set -euo pipefail

THRESHOLD="${THRESHOLD:-0.5}"

COMPONENTS=(
  "notes:1.0"
  "links:1.0"
)

# SEED:start notes
score_notes() {
  [ -d docs ] || { echo "0.85"; return 0; }
  echo "1.0"
}
# SEED:end notes

# SEED:start links
score_links() {
  echo "0.8"
}
# SEED:end links

weighted_sum="0"
total_weight="0"
missing=()

for entry in "${COMPONENTS[@]:+${COMPONENTS[@]}}"; do
  name="${entry%%:*}"
  weight="${entry##*:}"
  if value="$("score_${name}")"; then
    weighted_sum="$(awk -v s="$weighted_sum" -v c="$value" -v w="$weight" 'BEGIN { printf "%.6f", s + c * w }')"
    total_weight="$(awk -v t="$total_weight" -v w="$weight" 'BEGIN { printf "%.6f", t + w }')"
  else
    code=$?
    if [ "$code" -ne 2 ]; then
      echo "oracle: score_${name} ended with ${code}" >&2
      exit 2
    fi
    missing+=("$name")
  fi
done

if [ "${#missing[@]}" -gt 0 ]; then
  echo "oracle: missing components: ${missing[*]}" >&2
  exit 2
fi

composite="$(awk -v s="$weighted_sum" -v t="$total_weight" 'BEGIN { printf "%.4f", s / t }')"
printf 'oracle: composite=%s threshold=%s\n' "$composite" "$THRESHOLD"
awk -v c="$composite" -v t="$THRESHOLD" 'BEGIN { exit !(c + 0 >= t + 0) }'
