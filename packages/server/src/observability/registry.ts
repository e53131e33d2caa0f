import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { VERSION } from "@waymark/shared/version.ts";

/** A registry with the process's own metrics: its version, event loop lag, heap, garbage collection, processor time. */
export function createMetricsRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const buildInfo = new Gauge({
    name: "waymark_build_info",
    help: "Always 1, with the version of Waymark and of Node as labels",
    labelNames: ["version", "node"],
    registers: [registry],
  });
  buildInfo.set({ version: VERSION, node: process.versions.node }, 1);
  return registry;
}
