import { createServer } from "node:http";
import type { Registry } from "prom-client";
import { toError } from "../lib/to-error.ts";

export interface MetricsServer {
  port: number;
  /** From now on `/readyz` answers 200. */
  ready(): void;
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, `/healthz` (the process lives) and `/readyz` (it has started) on a listener of its own, so that
 * metrics are never on the public port.
 *
 * @throws Error that names METRICS_PORT when the address is taken or not to be had
 */
export async function startMetricsServer(
  registry: Registry,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  let isReady = false;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    const path = request.url?.split("?")[0];
    if (path === "/healthz" || path === "/readyz") {
      const ok = path === "/healthz" || isReady;
      const status = JSON.stringify({ status: ok ? "ok" : "unavailable" });
      response.writeHead(ok ? 200 : 503, { "content-type": "application/json" }).end(status);
      return;
    }
    if (path !== "/metrics") {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is /metrics here.\n");
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500).end(`${toError(error).message}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen({ host, port, exclusive: true }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    ready: () => void (isReady = true),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(`METRICS_PORT ${port} on ${host} is taken. Set METRICS_PORT to another port.`);
  }
  const reason = error.code ?? error.message;
  return new Error(`METRICS_HOST ${host} with METRICS_PORT ${port} can't be listened on (${reason}).`);
}
