import type { PgPool } from "@waymark/server/db/pool.ts";
import { sampleSchedules } from "@waymark/server/journey-schedules/work.queries.ts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { TickObserver } from "../journey-schedules/scheduler.ts";

export function createScheduleMetrics(registry: Registry, pool: PgPool): TickObserver {
  const registers = [registry];
  const ticks = new Counter({
    name: "waymark_journey_schedule_ticks_total",
    help: "Ticks of schedules that this worker decided about, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of ["started", "skipped", "missed", "refused"]) ticks.inc({ outcome }, 0);
  const lateness = new Histogram({
    name: "waymark_journey_schedule_late_seconds",
    help: "How long after its time a tick was taken up whose run this worker started.",
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300],
    registers,
  });
  const paused = new Gauge({
    name: "waymark_journey_schedules_paused",
    help: "Schedules that were paused after failures, of all organizations.",
    registers,
  });
  const overdue = new Gauge({
    name: "waymark_journey_schedules_overdue_seconds",
    help: "How long the tick that is due for longest has waited for a worker, of all organizations.",
    registers,
    async collect() {
      const sample = await sampleSchedules(pool).catch(() => undefined);
      overdue.set(sample?.overdueSeconds ?? Number.NaN);
      paused.set(sample?.paused ?? Number.NaN);
    },
  });
  return {
    decided: (outcome) => ticks.inc({ outcome }),
    started: (lateSeconds) => lateness.observe(lateSeconds),
  };
}
