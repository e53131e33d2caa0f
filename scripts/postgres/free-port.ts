import { createServer } from "node:net";

/** True when nothing listens on the port and we may. */
export function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return tryListen(port, host).then(
    () => true,
    () => false,
  );
}

/** A port that is free now. Another process may take it before it is used: whoever uses it checks. */
export function findFreePort(host = "127.0.0.1"): Promise<number> {
  return tryListen(0, host);
}

function tryListen(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
