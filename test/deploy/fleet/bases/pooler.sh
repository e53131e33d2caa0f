# PgBouncer in transaction mode, as docs/operations/poolers.md describes it. MAX_PREPARED_STATEMENTS=0 is the wrong setting.
set -eu
umask 077
service_password=$(sed 's|^[^:]*://[^:]*:\([^@]*\)@.*|\1|' /run/secrets/service_database_url)
cat >/tmp/users.txt <<END
"waymark" "$(cat /run/secrets/postgres_password)"
"waymark_service" "$service_password"
END
cat >/tmp/pgbouncer.ini <<END
[databases]
* = host=postgres port=5432
[pgbouncer]
listen_addr = *
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = /tmp/users.txt
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
max_prepared_statements = $MAX_PREPARED_STATEMENTS
ignore_startup_parameters = extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout
END
exec pgbouncer /tmp/pgbouncer.ini
