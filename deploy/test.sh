#!/usr/bin/env bash
# Tries the image and compose.yaml on a Docker engine, and writes docs/reports/deploy-report.md.
#   deploy/test.sh            everything, in about a quarter of an hour
#   deploy/test.sh pooler     one check of test/deploy/fleet/main.ts, whose section of the report it replaces
# It needs Docker with its compose. On Debian as root it installs and starts what is missing, and ends what it started. Where
# no registry of images is reachable, it makes the base images from Debian's packages; the report says which were used.
set -euo pipefail
cd "$(dirname "$0")/.."

engine=
end_engine() {
  [ -n "$engine" ] || return 0
  kill "$engine"
  wait "$engine" || true
}
trap end_engine EXIT

has_engine() { docker info >/dev/null 2>&1; }
has_compose() { docker compose version >/dev/null 2>&1 || docker-compose version >/dev/null 2>&1; }
is_debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

install_missing() {
  local packages=()
  has_engine || command -v dockerd >/dev/null || packages+=(docker.io)
  has_compose || packages+=(docker-compose)
  command -v debootstrap >/dev/null || packages+=(debootstrap)
  [ ${#packages[@]} -eq 0 ] || DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}"
}

start_engine() {
  local log
  log=$(mktemp)
  dockerd >"$log" 2>&1 &
  engine=$!
  for _ in $(seq 60); do
    if has_engine; then return; fi
    sleep 0.5
  done
  tail -n 20 "$log" >&2
  echo "deploy/test.sh: dockerd did not start within 30 s; its last lines are above." >&2
  exit 1
}

if is_debian_root; then
  install_missing
  has_engine || start_engine
fi
has_engine || { echo "deploy/test.sh: there is no Docker engine. Start one, or run this as root on Debian." >&2; exit 1; }
has_compose || { echo "deploy/test.sh: Docker has no compose. Install docker-compose-plugin." >&2; exit 1; }

node scripts/run.mjs test/deploy/fleet/main.ts "$@"
