import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy extends AsyncDisposable {
  /** The address given, with this proxy in the place of its server. */
  url: string;
  /** Passes nothing on any more, and closes nothing: what a network that swallows packets looks like. */
  goSilent(): void;
  /** Passes on again, what was held back included. */
  resume(): void;
  /** Leads new connections to another server; those that are open stay where they are. */
  leadTo(serverUrl: string): void;
}

/** Cuts the connection: before the server gets what was sent, or when its answer is on the way back. */
export type Cut = "before" | "after";

/**
 * Stands between a process and its server. `onSent` sees every chunk that goes to the server, by connection, and may
 * have the connection cut.
 */
export async function startTcpProxy(
  serverUrl: string,
  { onSent = () => undefined }: { onSent?: (chunk: Buffer, connection: Socket) => Cut | undefined } = {},
): Promise<TcpProxy> {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let silent = false;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
      if (silent) socket.pause();
    }
    let isCut = false;
    client.on("data", (chunk: Buffer) => {
      const cut = onSent(chunk, client);
      isCut ||= cut !== undefined;
      if (cut === "before") client.destroy();
      else upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      if (isCut) client.destroy();
      else client.write(chunk);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");

  return {
    url: Object.assign(new URL(serverUrl), { host: `127.0.0.1:${address.port}` }).href,
    goSilent() {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      silent = false;
      for (const socket of sockets) socket.resume();
    },
    leadTo(otherUrl) {
      target = new URL(otherUrl);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
