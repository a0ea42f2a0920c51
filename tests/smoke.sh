#!/bin/sh
# Runs the installed command with runtime dependencies only, as a user would. Usage: smoke.sh VENV
set -eu
venv=$(cd "$1" && pwd)
examples=$(cd "$(dirname "$0")/../examples" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$venv/bin/adjudge" --version
"$venv/bin/adjudge" demo > demo.txt
test -s adjudge-demo/report.html
"$venv/bin/adjudge" reliability "$examples/reliability/votes.json" --output r.json --output r.html --output r.md \
    --output r.csv --output r.parquet --output r.png --output r.svg --save-items items.parquet > table.txt
"$venv/bin/adjudge" show r.json --format json > again.json
cmp r.json again.json

megabytes=$(du -sm "$venv" | cut -f1)
echo "installed environment: $megabytes MB"
test "$megabytes" -lt 450
