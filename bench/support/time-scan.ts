import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import type { Server } from "./load.ts";
import type { checkIngest, Product } from "./product.ts";
import { completedAt } from "./product-state.ts";
import { headersOf, type ScanBody } from "./requests.ts";

/** Milliseconds from the first byte sent. */
export interface ScanTimes {
  answered: number;
  completed: number;
}

const PAUSE_MS = { min: 120, max: 360 };

interface TimedServer {
  server: Server;
  connection: Connection;
  check: typeof checkIngest;
  /** The product whose worker completes a scan, if its answer does not call it completed. */
  product?: Pick<Product, "db" | "drained">;
}

/** Waits between two scans, so that each finds everything idle. The time varies, so that no timer keeps step. */
export async function pause(): Promise<void> {
  await sleep(PAUSE_MS.min + Math.random() * (PAUSE_MS.max - PAUSE_MS.min));
}

/** Sends one scan and waits until it is completed. */
export async function timeScan(
  { server, connection, check, product }: TimedServer,
  body: ScanBody,
): Promise<ScanTimes> {
  const headers = headersOf(body, server.keyOf(body.service));
  const sentAt = performance.now();
  const answer = await connection.post(server.path, headers, body.bytes);
  const answered = performance.now() - sentAt;
  check(answer, body);
  const { scanRunId, status } = JSON.parse(answer.body) as { scanRunId: string; status: string };
  // The client knows by then.
  if (status === "completed") return { answered, completed: answered };
  if (product === undefined) throw new Error(`the scan is ${status}, and there is no worker`);
  await product.drained();
  const committedAt = await completedAt(product.db, scanRunId);
  return { answered, completed: committedAt - (performance.timeOrigin + sentAt) };
}
