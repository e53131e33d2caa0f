import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** The answer to the request for encryption that begins a connection: yes. */
const YES = "S";
const SSL_REQUEST_BYTES = 8;

/**
 * Postgres with TLS before a server without it, at a port of this machine or at a Unix socket's file, where it is plain.
 *
 * @returns the port, or 0 for a file
 */
export async function startPostgresFront(
  databaseUrl: string,
  {
    certificate,
    file,
    host = "127.0.0.1",
  }: { certificate?: { key: string; cert: string }; file?: string; host?: string },
): Promise<{ port: number } & AsyncDisposable> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const join = (client: Socket) => {
    const onward = connect(Number(target.port), target.hostname);
    onward.on("error", () => client.destroy());
    client.on("error", () => onward.destroy());
    client.pipe(onward).pipe(client);
  };
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined);
    if (certificate === undefined) return join(client);
    client.once("readable", () => {
      client.read(SSL_REQUEST_BYTES);
      client.write(YES);
      join(new TLSSocket(client, { isServer: true, ...certificate }));
    });
  });
  server.listen(file === undefined ? { port: 0, host } : { path: file });
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
