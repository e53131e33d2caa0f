import { connect, type Socket } from "node:net";

export interface Answer {
  status: number;
  body: string;
}

/** One keep-alive connection, one request at a time. Plain sockets: they cost the load generator the least. */
export interface Connection {
  /** The headers are lines, each with its end of line. */
  post(path: string, headers: string, body: Buffer): Promise<Answer>;
  close(): void;
}

export async function openConnection(port: number): Promise<Connection> {
  const socket = await open(port);
  let received = Buffer.alloc(0);
  let settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  const fail = (error: Error) => {
    settle?.reject(error);
    settle = undefined;
  };
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = parseAnswer(received);
    if (answer === undefined) return;
    received = Buffer.alloc(0);
    settle?.resolve(answer);
    settle = undefined;
  });
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));
  return {
    post: (path, headers, body) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.cork();
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}` +
            `Content-Length: ${body.byteLength}\r\n\r\n`,
        );
        socket.write(body);
        socket.uncork();
      }),
    close: () => socket.destroy(),
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** A whole answer with a declared length, or undefined while it is incomplete. */
function parseAnswer(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length:\n${head}`);
  if (bytes.byteLength < end + 4 + Number(length)) return undefined;
  return { status: Number(head.slice(9, 12)), body: bytes.toString("utf8", end + 4) };
}
