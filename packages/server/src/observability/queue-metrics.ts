import { Gauge, type Registry } from "prom-client";

/** Whether this process can use the queue. While it can't, workers find scan runs in Postgres only. */
export function registerQueueMetrics(registry: Registry, isUsable: () => boolean): void {
  const gauge = new Gauge({
    name: "waymark_queue_usable",
    help: "1 while this process can use the queue, 0 while it can't and workers find scan runs in Postgres only.",
    registers: [],
    collect() {
      this.set(isUsable() ? 1 : 0);
    },
  });
  registry.registerMetric(gauge);
}
