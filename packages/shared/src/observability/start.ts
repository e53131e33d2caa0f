import type { Registry } from "prom-client";
import type { ObservabilityConfig } from "../lib/config-fields.ts";
import type { Readiness } from "../lib/readiness.ts";
import { createLogger, type Logger } from "../lib/logger.ts";
import { startMetricsServer } from "./metrics-server.ts";
import { createMetricsRegistry } from "./registry.ts";
import { startTracing, type Tracing } from "./tracing.ts";

/** What watches a process: handed to whatever has something to tell. */
export interface Observability {
  logger: Logger;
  registry: Registry;
  /** Undefined where nobody collects traces. */
  tracing: Tracing | undefined;
}

export interface RunningObservability extends Observability {
  /** From now on the metrics listener's `/readyz` answers what this check says. */
  ready: (check: () => Promise<Readiness>) => void;
  /** The last thing to close: it tells of the others' end. */
  close(): Promise<void>;
}

/**
 * Starts what watches a process. Call it before anything else is started, so that a taken METRICS_PORT leaves nothing
 * half done.
 *
 * @throws Error that names METRICS_PORT when the listener can't be had
 */
export async function startObservability(
  config: ObservabilityConfig & { logLevel: string },
  service: "api" | "worker",
): Promise<RunningObservability> {
  const logger = createLogger({ service, level: config.logLevel });
  const registry = createMetricsRegistry();
  const server = await startMetricsServer(registry, { host: config.metricsHost, port: config.metricsPort });
  logger.debug({ host: config.metricsHost, port: server.port }, "metrics are served");
  const tracing = await startTracing(logger, {
    service,
    endpoint: config.otlpEndpoint,
    sampleRatio: config.traceSampleRatio,
  });
  return {
    logger,
    registry,
    tracing,
    ready: server.ready,
    async close() {
      await tracing?.close();
      await server.close();
    },
  };
}
