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
export async function requirePort({ host, port, isDemo }: DevConfig): Promise<void> {
  if (await isPortFree(port, host)) return;
  const address = addressOf(host, port);
  const another = `choose another port: PORT=${port + 1} npm start${isDemo ? " -- --demo" : ""}`;
  throw new Error(
    (await isReady(address))
      ? `Waymark is running already at ${address}. Stop it with Ctrl-C in its terminal, or ${another}`
      : `Port ${port} on ${host} is in use by another program. Stop it, or ${another}`,
  );
}

/** True if a process of Waymark says that it is ready. Not by `fetch`, which refuses some ports. */
export async function isReady(address: string): Promise<boolean> {
  const response = await ask(`${address}/readyz`);
  return response?.statusCode === 200 && response.body.includes('"checks"');
}

/** Whether anything responds there. */
export async function responds(address: string): Promise<boolean> {
  return (await ask(address)) !== undefined;
}

function ask(url: string): Promise<{ statusCode: number | undefined; body: string } | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 5_000 }, (response) => {
      text(response).then(
        (body) => resolve({ statusCode: response.statusCode, body }),
        () => resolve(undefined),
      );
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}
