import { get } from "node:http";
import { findFreePort, isPortFree } from "../postgres/free-port.ts";
import { findLaunchers } from "../postgres/start-postgres.ts";
import type { DevConfig } from "./config.ts";

/** Where people and the CLI reach an api that listens on `host`. */
export function addressOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" || host === "" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** @throws Error that says who has the port, as far as can be told, and what to do */
export async function requirePort({ host, port, dataFolder }: DevConfig): Promise<void> {
  if (await isPortFree(port, host)) return;
  const address = addressOf(host, port);
  const another = `choose another port: PORT=${port + 1} npm start`;
  if (!(await isWaymark(address))) {
    throw new Error(`Port ${port} on ${host} is in use by another program. Stop it, or ${another}`);
  }
  const launcher = (await findLaunchers(dataFolder)).at(0);
  const stop = launcher === undefined ? "Stop it" : `Stop it with Ctrl-C, or kill ${launcher}`;
  throw new Error(`Waymark is running already at ${address}. ${stop}; or ${another}`);
}

/** The wanted port, or any other where somebody has it. */
export async function freePortFrom(wanted: number): Promise<number> {
  return (await isPortFree(wanted)) ? wanted : findFreePort();
}

async function isWaymark(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(1_000) });
    return (await response.text()).includes('"checks"');
  } catch {
    return false;
  }
}

/** Whether a GET is answered with 200. Not by `fetch`, which refuses some ports. */
export async function answersWell(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}
