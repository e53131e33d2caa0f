import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** True when nothing listens on the port and we may. */
export function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return tryListen(port, host).then(
    () => true,
    () => false,
  );
}

// Below the ports that systems lend to outgoing connections (32768 and up on Linux, 49152 elsewhere): one of those may
// be lent between the moment it is found free and the moment it is used.
const LOWEST = 10_000;
const HIGHEST = 32_000;
const ATTEMPTS = 100;

/**
 * A port that is free now. Another process may take it before it is used: whoever uses it checks.
 * @throws Error where none of a hundred random ones is free
 */
export async function findFreePort(host = "127.0.0.1"): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isPortFree(port, host)) return port;
  }
  throw new Error(`No free port between ${LOWEST} and ${HIGHEST} on ${host}.`);
}

function tryListen(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve()));
  });
}
