import { createServer, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import { type Readiness, readinessResponse } from "../lib/readiness.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";

export interface MetricsServer {
  port: number;
  /** Sets the check behind `/readyz`. Until then, `/readyz` responds with 503. */
  ready: (check: () => Promise<Readiness>) => void;
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, `/healthz` (the process is alive) and `/readyz` (it has started and can work) on a separate port, so
 * that metrics are never public.
 *
 * @throws Error that names METRICS_PORT if the address is in use or unavailable
 */
export async function startMetricsServer(
  registry: Registry,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  let readiness: (() => Promise<Readiness>) | undefined;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    const path = request.url?.split("?")[0];
    if (path === "/healthz") return sendJson(response, 200, { status: "ok" });
    if (path === "/readyz") {
      if (readiness === undefined) return sendJson(response, 503, { status: "unavailable" });
      readiness().then(
        (state) => sendJson(response, readinessResponse(state).status, readinessResponse(state).body),
        () => sendJson(response, 503, { status: "unavailable" }),
      );
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
    ready: (check) => void (readiness = check),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(`METRICS_PORT ${port} on ${host} is taken. Set METRICS_PORT to another port.`);
  }
  const reason = error.code ?? error.message;
  return new Error(`METRICS_HOST ${host} with METRICS_PORT ${port} can't be listened on (${reason}).`);
}
