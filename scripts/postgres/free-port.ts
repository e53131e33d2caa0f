import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the ports that systems lend to outgoing connections (32768 and up on Linux, 49152 elsewhere): one of those may
// be lent between the moment it is found free and the moment it is used. And above 10080, the last port that browsers and fetch
// refuse ("bad port" in the Fetch standard).
const LOWEST = 10_081;
const HIGHEST = 32_000;

/** Whether the port is free and may be used. */
export function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

// Whoever gets a port may want the next one too, as `npm start` does for its worker's metrics.
const STEP = 7;
let last = randomInt(LOWEST, HIGHEST);

/** From a random port upwards, so that no two callers in this process get the same one before they use it. */
function nextPort(): number {
  last = LOWEST + ((last - LOWEST + STEP) % (HIGHEST - LOWEST));
  return last;
}

/** The wanted port, or any other that is free now. Another process may take it before it is used, so the caller checks. */
export async function findFreePort(wanted = nextPort()): Promise<number> {
  return (await isPortFree(wanted)) ? wanted : findFreePort();
}
