import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { readFromReplica } from "@waymark/server/db/replica/read-from-replica.ts";
import { openReplica } from "@waymark/server/db/service-database.ts";
import { createOutageLog } from "@waymark/server/lib/outage-log.ts";
import type { Observability } from "@waymark/server/observability/start.ts";
import { Counter } from "prom-client";
import type { ApiConfig } from "../config.ts";

/** Lets reads go to the replica of the configuration, if it has one, and counts which server answers. */
export function withReplica(
  primary: DatabasePool,
  {
    config,
    openPool,
    observability: { logger, registry },
  }: {
    config: ApiConfig;
    openPool: (url: string) => Promise<DatabasePool>;
    observability: Observability;
  },
): DatabasePool {
  const reads = new Counter({
    name: "waymark_database_reads_total",
    help: "Reads of requests that change nothing, by the server that answered. Counted if there is a replica.",
    labelNames: ["server"],
    registers: [registry],
  });
  const { databaseReplicaUrl } = config;
  if (databaseReplicaUrl === undefined) return primary;
  const outage = createOutageLog(logger, { what: "the replica, whose reads go to the primary now," });
  return readFromReplica(primary, {
    open: async () => openPool(await openReplica(databaseReplicaUrl, config)),
    onRead: (server) => reads.inc({ server }),
    onError: outage.failed,
    onUsable: outage.recovered,
  });
}
