import { Gauge, type Registry } from "prom-client";
import type { DatabasePool, PgPool } from "../db/pool.ts";

export interface PoolState {
  /** Open connections. */
  open: number;
  idle: number;
  /** Queries that wait for a connection. */
  waiting: number;
}

/** Registers gauges of the process's connection pools, with the pool's name as label. */
export function registerPoolMetrics(registry: Registry, pools: Record<string, () => PoolState>): void {
  const gauge = (name: string, help: string, value: (state: PoolState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["pool"],
      registers: [registry],
      collect() {
        for (const [pool, state] of Object.entries(pools)) this.set({ pool }, value(state()));
      },
    });
  gauge("waymark_database_pool_connections", "Open connections to Postgres.", (state) => state.open);
  gauge("waymark_database_pool_idle", "Open connections that are idle.", (state) => state.idle);
  gauge("waymark_database_pool_waiting", "Queries that wait for a connection.", (state) => state.waiting);
}

export function pgPoolState(pool: PgPool): PoolState {
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

export function generalPoolState(db: DatabasePool): PoolState {
  const { acquiredConnections, idleConnections, waitingClients } = db.state();
  return { open: acquiredConnections + idleConnections, idle: idleConnections, waiting: waitingClients };
}
