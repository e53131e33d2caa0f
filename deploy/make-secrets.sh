#!/bin/sh
# Makes the secrets of compose.yaml that are not there yet, a file each:
#   deploy/make-secrets.sh [FOLDER]      deploy/secrets, or what WAYMARK_SECRETS will name
# Only you can enter the folder. The files can be read by others, because processes in containers are other users.
set -eu
folder=${1:-"$(dirname "$0")/secrets"}
umask 077
mkdir -p "$folder"
cd "$folder"

random() { openssl rand -hex 32; }
# make NAME VALUE
make() {
  [ -e "$1" ] || printf '%s\n' "$2" >"$1"
  chmod 444 "$1"
}

make postgres_password "$(random)"
make owner_database_url "postgres://waymark:$(cat postgres_password)@postgres:5432/waymark"
# The services' login, which migrate creates with this password.
make service_database_url "postgres://waymark_service:$(random)@postgres:5432/waymark"
make redis_password "$(random)"
make redis_url "redis://:$(cat redis_password)@redis:6379"
make journey_keys "k1:$(openssl rand -base64 32)"
make grafana_password "$(random)"
