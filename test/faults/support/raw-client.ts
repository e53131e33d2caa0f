import { once } from "node:events";
import { type Socket, connect } from "node:net";

export interface RawConnection {
  socket: Socket;
  /** All that has come back so far. */
  answer(): string;
  /** Resolves with the milliseconds until the other side closed or answered, whichever came first. */
  done: Promise<number>;
}

/** A connection that says what it likes, byte by byte. It never throws: a reset is an end, too. */
export async function openRaw(baseUrl: string, firstBytes = ""): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl);
  const start = Date.now();
  const socket = connect(Number(port), hostname);
  let answer = "";
  const done = new Promise<number>((resolve) => {
    const end = () => resolve(Date.now() - start);
    socket.on("data", (data) => {
      answer += String(data);
      end();
    });
    socket.on("close", end);
    socket.on("error", end);
  });
  await once(socket, "connect");
  if (firstBytes !== "") socket.write(firstBytes);
  return { socket, answer: () => answer, done };
}

export function requestHead(headers: Record<string, string | number>, path = "/api/scans/ingest"): string {
  const lines = Object.entries({ Host: "waymark", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, ...lines, "\r\n"].join("\r\n");
}

/** Splits `GET`'s, `POST`'s or no answer into status and body. */
export function parseAnswer(text: string): { status: number; body: unknown } | null {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  if (status === 0) return null;
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  return { status, body: body.startsWith("{") ? JSON.parse(body) : null };
}
