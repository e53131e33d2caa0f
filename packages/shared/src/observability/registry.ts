import { collectDefaultMetrics, Registry } from "prom-client";

/** A registry with the process's own metrics: event loop lag, heap, garbage collection, processor time. */
export function createMetricsRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
