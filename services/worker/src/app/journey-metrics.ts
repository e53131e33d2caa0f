import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { LostRunner, RunObserver } from "../journeys/run-context.ts";
import type { RunnerPool } from "../journeys/runner/runner-pool.ts";

const LOST: readonly LostRunner[] = ["worker", "silent", "died", "fault"];

export function createJourneyMetrics(
  registry: Registry,
  { processes }: { processes: RunnerPool["processes"] },
): RunObserver {
  const registers = [registry];
  const ended = new Counter({
    name: "waymark_journey_runs_ended_total",
    help: "Runs of journeys that this worker ended, by status.",
    labelNames: ["status"],
    registers,
  });
  for (const status of ["passed", "failed", "error", "aborted"]) ended.inc({ status }, 0);
  const duration = new Histogram({
    name: "waymark_journey_run_seconds",
    help: "Duration of runs of journeys.",
    buckets: [0.1, 0.3, 1, 3, 10, 30, 100, 300],
    registers,
  });
  const recovered = new Counter({
    name: "waymark_journey_runs_recovered_total",
    help: "Runs of journeys that this worker tore down because their worker or process was lost, by what was lost.",
    labelNames: ["lost"],
    registers,
  });
  for (const lost of LOST) recovered.inc({ lost }, 0);
  const leasesLost = new Counter({
    name: "waymark_journey_leases_lost_total",
    help: "Runs of journeys that this worker lost to another one, because it did not extend their leases in time.",
    registers,
  });
  const handedOver = new Counter({
    name: "waymark_journey_runs_handed_over_total",
    help: "Runs of journeys that this worker gave back while it stopped.",
    registers,
  });
  registerProcesses(registry, processes);
  return {
    ended(status, seconds) {
      ended.inc({ status });
      duration.observe(seconds);
    },
    recovering: (lost) => recovered.inc({ lost }),
    leaseLost: () => leasesLost.inc(),
    handedOver: () => handedOver.inc(),
  };
}

function registerProcesses(registry: Registry, processes: RunnerPool["processes"]): void {
  const gauge = new Gauge({
    name: "waymark_journey_processes",
    help: "Processes for journeys, by whether they carry one out.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const { busy, idle } = processes();
      gauge.set({ state: "busy" }, busy);
      gauge.set({ state: "idle" }, idle);
    },
  });
}
