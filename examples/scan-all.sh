#!/bin/sh
# Scans every API description of a folder, one service per file: what a CI job does after a build.
# Usage: SERVICE_API_KEY=… SERVICE_API_URL=… examples/scan-all.sh [FOLDER]
set -eu
folder=${1:-$(dirname "$0")}
for file in "$folder"/*.openapi.* "$folder"/*.swagger.*; do
  [ -f "$file" ] || continue
  service=$(basename "$file" | cut -d. -f1)
  npx waymark scan --service "$service" --spec "$file"
done
