import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy extends AsyncDisposable {
  /** The given address, with this proxy instead of its server. */
  url: string;
  /** Forwards nothing and closes nothing, like a network that drops packets. */
  goSilent(): void;
  /** Forwards again, including what was held back. */
  resume(): void;
  /** Connects new connections to another server; open ones stay. */
  leadTo(serverUrl: string): void;
}

/** Cuts the connection: before the server gets what was sent, or when its answer is on the way back. */
export type Cut = "before" | "after";

/**
 * A proxy between a process and its server. `onSent` gets every chunk to the server, by connection, and may cut the connection, or
 * hold its answers until `resume`.
 */
export async function startTcpProxy(
  serverUrl: string,
  {
    onSent = () => undefined,
  }: { onSent?: (chunk: Buffer, connection: Socket) => Cut | "hold" | undefined } = {},
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
      isCut ||= cut === "before" || cut === "after";
      if (cut === "hold") upstream.pause();
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
