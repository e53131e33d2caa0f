import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createJourneyMetrics } from "./journey-metrics.ts";

it("the metrics of journeys say how they ended, what was lost with them, and how many processes are busy", async () => {
  const registry = new Registry();
  const observer = createJourneyMetrics(registry, { processes: () => ({ busy: 2, idle: 1 }) });
  observer.ended("failed", 4);
  observer.recovering("worker");
  observer.recovering("silent");
  observer.leaseLost();
  observer.handedOver();
  const lines = (await registry.metrics()).split("\n").filter((line) => !line.startsWith("#"));
  expect(lines).toEqual(
    expect.arrayContaining([
      'waymark_journey_runs_ended_total{status="passed"} 0',
      'waymark_journey_runs_ended_total{status="failed"} 1',
      "waymark_journey_run_seconds_sum 4",
      'waymark_journey_runs_recovered_total{lost="worker"} 1',
      'waymark_journey_runs_recovered_total{lost="silent"} 1',
      'waymark_journey_runs_recovered_total{lost="died"} 0',
      "waymark_journey_leases_lost_total 1",
      "waymark_journey_runs_handed_over_total 1",
      'waymark_journey_processes{state="busy"} 2',
      'waymark_journey_processes{state="idle"} 1',
    ]),
  );
});
