import type { DestinationStream } from "pino";
import type { Registry } from "prom-client";
import type { ObservabilityConfig } from "../lib/config-fields.ts";
import type { Readiness } from "../lib/readiness.ts";
import { createLogger, type Logger } from "../lib/logger.ts";
import { startMetricsServer } from "./metrics-server.ts";
import { createMetricsRegistry } from "./registry.ts";
import { startTracing, type Tracing } from "./tracing.ts";

/** The metrics registry and tracing of a process. */
export interface Observability {
  logger: Logger;
  registry: Registry;
  /** Undefined without a collector. */
  tracing: Tracing | undefined;
}

export interface RunningObservability extends Observability {
  /** Sets the check behind `/readyz` of the metrics port. */
  ready: (check: () => Promise<Readiness>) => void;
  /** Close this last, so that it reports how the others ended. */
  close(): Promise<void>;
}

/**
 * Starts metrics and tracing of a process. Call it before starting anything else, so that a port in use leaves nothing
 * half started.
 *
 * @throws Error that names METRICS_PORT if the port is unavailable
 */
export async function startObservability(
  config: ObservabilityConfig & { logLevel: string },
  service: "api" | "worker",
  destination?: DestinationStream,
): Promise<RunningObservability> {
  const logger = createLogger({ service, level: config.logLevel }, destination);
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
