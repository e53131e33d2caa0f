import { type Answer, type Connection, openConnection } from "./connection.ts";
import { headersOf, type ScanBody } from "./requests.ts";

/** A server under load. */
export interface Server {
  port: number;
  path: string;
  /** The key that scans of this service are sent with. */
  keyOf: (service: string) => string;
}

export interface Load {
  connections: number;
  requests: number;
  /** The body of the n-th request, which was made before. */
  body: (n: number) => ScanBody;
  /** @throws Error if the response is not as expected */
  check: (answer: Answer, body: ScanBody) => void;
  /** Requests per second in all, evenly spread; without it each connection sends as fast as it is answered. */
  perSecond?: number;
}

export interface LoadResult {
  /** Latency of each request, from its first byte sent to its answer's last byte, in order of sending. */
  latenciesMs: number[];
  /** From the first request to the last answer. */
  durationMs: number;
}

/**
 * Sends requests over keep-alive connections, as a load balancer's are, and checks every answer: one wrong or refused
 * answer fails it all.
 */
export async function applyLoad(server: Server, load: Load): Promise<LoadResult> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(server.port)),
  );
  const latenciesMs: number[] = Array.from({ length: load.requests }, () => 0);
  let next = 0;
  const start = performance.now();

  async function send(connection: Connection): Promise<void> {
    for (let n = next++; n < load.requests; n = next++) {
      if (load.perSecond !== undefined) await waitUntil(start + (n * 1000) / load.perSecond);
      const body = load.body(n);
      const headers = headersOf(body, server.keyOf(body.service));
      const sent = performance.now();
      const answer = await connection.post(server.path, headers, body.bytes);
      latenciesMs[n] = performance.now() - sent;
      load.check(answer, body);
    }
  }

  try {
    await Promise.all(connections.map(send));
    return { latenciesMs, durationMs: performance.now() - start };
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function waitUntil(moment: number): Promise<void> {
  const ms = moment - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
