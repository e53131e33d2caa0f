import type { Socket } from "node:net";
import { startTcpProxy } from "../tcp-proxy.ts";

export interface CountedPostgres extends AsyncDisposable {
  url: string;
  /** The number of queries sent through it so far. */
  queries(): number;
  /** How many of them execute the prepared statement with this name. */
  queriesOf(statement: string): number;
}

// https://www.postgresql.org/docs/current/protocol-message-formats.html
const SIMPLE_QUERY = "Q";
const EXECUTE = "E";
const BIND = "B";

/** A Postgres proxy that counts queries on the wire, so that it misses none. */
export async function startCountedPostgres(databaseUrl: string): Promise<CountedPostgres> {
  let queries = 0;
  const byStatement = new Map<string, number>();
  const unread = new WeakMap<Socket, Buffer>();
  const started = new WeakSet<Socket>();

  const proxy = await startTcpProxy(databaseUrl, {
    onSent(chunk, connection) {
      let bytes = Buffer.concat([unread.get(connection) ?? Buffer.alloc(0), chunk]);
      for (;;) {
        // The first message of a connection has no type; each later one has one before its length.
        const typeBytes = started.has(connection) ? 1 : 0;
        if (bytes.length < typeBytes + 4) break;
        const end = typeBytes + bytes.readUInt32BE(typeBytes);
        if (bytes.length < end) break;
        const type = typeBytes === 0 ? "" : String.fromCharCode(bytes.readUInt8(0));
        if (type === SIMPLE_QUERY || type === EXECUTE) queries++;
        if (type === BIND) {
          const name = statementOf(bytes.subarray(5, end));
          byStatement.set(name, (byStatement.get(name) ?? 0) + 1);
        }
        started.add(connection);
        bytes = bytes.subarray(end);
      }
      unread.set(connection, bytes);
    },
  });
  return {
    url: proxy.url,
    queries: () => queries,
    queriesOf: (statement) => byStatement.get(statement) ?? 0,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** The second string of a Bind message; the first is the portal's name. */
function statementOf(bind: Buffer): string {
  return bind.toString("latin1").split("\0", 2)[1] ?? "";
}
