import { Counter, Histogram, type Registry } from "prom-client";
import type { ComparisonObserver } from "../scans/comparisons/comparer.ts";

export function createComparisonMetrics(registry: Registry): ComparisonObserver {
  const registers = [registry];
  const comparisons = new Counter({
    name: "waymark_scan_comparisons_total",
    help: "Descriptions of runs that this worker compared with those of the runs before, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of ["compared", "too_large", "failed"]) comparisons.inc({ outcome }, 0);
  const retried = new Counter({
    name: "waymark_scan_comparisons_retried_total",
    help: "Failed attempts to compare descriptions that will be retried.",
    registers,
  });
  const duration = new Histogram({
    name: "waymark_scan_comparison_duration_seconds",
    help: "Duration of one comparison of descriptions, with reading them.",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  return {
    compared(outcome, seconds) {
      comparisons.inc({ outcome });
      duration.observe(seconds);
    },
    retried: () => retried.inc(),
  };
}
