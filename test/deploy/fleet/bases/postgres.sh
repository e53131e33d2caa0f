# What the published image does at its start, with Debian's Postgres: a new volume gets a cluster, an owner and a database.
set -eu
data=/var/lib/postgresql/data
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -s "$data/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$data"
  as_postgres initdb --pgdata="$data" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" \
    --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | as_postgres postgres --single -D "$data" postgres
fi
shift
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -D "$data" -c listen_addresses='*' "$@"
