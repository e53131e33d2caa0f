import { get } from "node:http";
import { text } from "node:stream/consumers";
import { isPortFree } from "../postgres/free-port.ts";
import type { DevConfig } from "./config.ts";

/** Where people and the CLI reach an api that listens on `host`. */
export function addressOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" || host === "" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** @throws Error that says what has the port, as far as can be told, and what to do */
export async function requirePort({ host, port }: DevConfig): Promise<void> {
  if (await isPortFree(port, host)) return;
  const address = addressOf(host, port);
  const another = `choose another port: PORT=${port + 1} npm start`;
  throw new Error(
    (await isReady(address))
      ? `Waymark is running already at ${address}. Stop it with Ctrl-C in its terminal, or ${another}`
      : `Port ${port} on ${host} is in use by another program. Stop it, or ${another}`,
  );
}

/** Whether a service of Waymark says that it is ready. Not by `fetch`, which refuses some ports. */
export async function isReady(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${address}/readyz`, { timeout: 5_000 }, (response) => {
      const isOurs = text(response).then((body) => response.statusCode === 200 && body.includes('"checks"'));
      resolve(isOurs.catch(() => false));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}
