import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the ports that systems lend to outgoing connections (32768 and up on Linux, 49152 elsewhere): one of those may
// be lent between the moment it is found free and the moment it is used.
const LOWEST = 10_000;
const HIGHEST = 32_000;

/** True when nothing listens on the port and we may. */
export function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The wanted port, or any other that is free now. Another process may take it before it is used: whoever uses it checks. */
export async function findFreePort(wanted = randomInt(LOWEST, HIGHEST)): Promise<number> {
  return (await isPortFree(wanted)) ? wanted : findFreePort();
}
