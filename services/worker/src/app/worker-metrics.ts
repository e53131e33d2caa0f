import { Counter, Histogram, type Registry } from "prom-client";
import type { BatchObserver } from "../scans/batch-observer.ts";
import { DELETED_KINDS, type DeletedData } from "./delete-old-data.ts";

const FAILURE_CODES = ["attempts_exhausted", "payload_unusable", "persistence_failed"];

export interface WorkerMetrics {
  batches: BatchObserver;
  /** Counts runs that were found without an announcement. */
  reconciled(runs: number): void;
  /** Counts the rows that `work` deletes, and measures its duration. */
  countDeleted(work: () => Promise<DeletedData>): Promise<void>;
}

export function createWorkerMetrics(registry: Registry): WorkerMetrics {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const completed = counter("waymark_scan_runs_completed_total", "Scan runs that this worker completed.");
  const retried = counter("waymark_scan_runs_retried_total", "Failed attempts that will be retried.");
  const rows = counter("waymark_rows_persisted_total", "Endpoints and findings written.");
  const reconciled = counter(
    "waymark_reconciler_found_total",
    "Scan runs that this worker found in Postgres without an announcement from the queue within a second.",
  );
  const failed = new Counter({
    name: "waymark_scan_runs_failed_total",
    help: "Scan runs that ended as failed, by error code.",
    labelNames: ["code"],
    registers,
  });
  for (const code of FAILURE_CODES) failed.inc({ code }, 0);
  const batchRuns = new Histogram({
    name: "waymark_batch_runs",
    help: "Scan runs completed by one transaction.",
    buckets: [1, 2, 5, 10, 20, 50],
    registers,
  });
  const batchDuration = new Histogram({
    name: "waymark_batch_duration_seconds",
    help: "Duration of one persisting transaction.",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });

  return {
    countDeleted: createRetentionMetrics(registers),
    batches: {
      persisted(batch) {
        completed.inc(batch.completed);
        rows.inc(batch.rows);
        batchRuns.observe(batch.completed);
        batchDuration.observe(batch.seconds);
      },
      retried: () => retried.inc(),
      failed: (_scanRunId, code) => failed.inc({ code }),
    },
    reconciled: (runs) => reconciled.inc(runs),
  };
}

function createRetentionMetrics(registers: Registry[]): WorkerMetrics["countDeleted"] {
  const deleted = new Counter({
    name: "waymark_housekeeping_deleted_total",
    help: "Old data that this worker deleted, by kind.",
    labelNames: ["kind"],
    registers,
  });
  for (const kind of DELETED_KINDS.values()) deleted.inc({ kind }, 0);
  const failed = new Counter({
    name: "waymark_housekeeping_failed_total",
    help: "Failed rounds of housekeeping.",
    registers,
  });
  const duration = new Histogram({
    name: "waymark_housekeeping_duration_seconds",
    help: "Duration of one round of housekeeping through all organizations.",
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers,
  });
  return async (work) => {
    const startedAt = performance.now();
    try {
      const total = await work();
      for (const [name, kind] of DELETED_KINDS) deleted.inc({ kind }, total[name]);
    } catch (error) {
      failed.inc();
      throw error;
    } finally {
      duration.observe((performance.now() - startedAt) / 1000);
    }
  };
}
