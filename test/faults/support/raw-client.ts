import { once } from "node:events";
import { type Socket, connect } from "node:net";

export interface RawConnection {
  socket: Socket;
  /** All received bytes so far. */
  answer(): string;
  /** Resolves with the milliseconds until a whole response had arrived, or the other side closed. */
  done: Promise<number>;
  closed: Promise<void>;
}

/** A connection for arbitrary bytes. Never throws: a reset counts as its end. */
export async function openRaw(baseUrl: string, firstBytes = ""): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl);
  const start = Date.now();
  const socket = connect(Number(port), hostname);
  let answer = "";
  const done = new Promise<number>((resolve) => {
    const end = () => resolve(Date.now() - start);
    socket.on("data", (data) => {
      answer += String(data);
      if (isWhole(answer)) end();
    });
    socket.on("close", end);
    socket.on("error", end);
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  if (firstBytes !== "") socket.write(firstBytes);
  return { socket, answer: () => answer, done, closed };
}

/** A response may arrive in several pieces. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const [head, body] = [text.slice(0, end), text.slice(end + 4)];
  if (/^transfer-encoding: chunked/im.test(head)) return body.endsWith("0\r\n\r\n");
  return Buffer.byteLength(body) >= Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
}

export function requestHead(headers: Record<string, string | number>, path = "/api/scans/ingest"): string {
  const lines = Object.entries({ Host: "waymark", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, ...lines, "\r\n"].join("\r\n");
}

/** Splits a response, if there is one, into status and body. */
export function parseAnswer(text: string): { status: number; body: unknown } | null {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  if (status === 0) return null;
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  return { status, body: body.startsWith("{") ? JSON.parse(body) : null };
}
