// The entry of the compiler's process. It works on one task at a time, and asks its parent for the files that a document needs:
// the documents of strangers are read here and nowhere else.
import { compare } from "./compare.ts";
import { compile } from "./compile.ts";
import { compose } from "./compose.ts";
import { describe } from "./describe.ts";
import { examine } from "./examine.ts";
import type { Reply, Request, Work, WorkName } from "./messages.ts";
import { openSession, type Session } from "./session.ts";
import { verify } from "./verify.ts";

const WORK: {
  [Name in WorkName]: (session: Session, document: Work[Name]["document"]) => Promise<Work[Name]["result"]>;
} = { examine, compose, compile, describe, compare, verify };

/** The readers that wait for a file, by the id of their request: the same path may be asked for again, by another task. */
const waiting = new Map<number, (bytes: Uint8Array | undefined) => void>();
/** The parts of files that have arrived before the last one. */
const parts = new Map<number, Uint8Array[]>();
let lastId = 0;

const send = (reply: Reply) => {
  process.send?.(reply);
};

const read = (path: string) =>
  new Promise<Uint8Array | undefined>((resolve) => {
    const id = ++lastId;
    waiting.set(id, resolve);
    send({ kind: "read", id, path });
  });

async function work(request: Extract<Request, { kind: "task" }>): Promise<void> {
  const session = openSession(read);
  for (const document of request.documents) {
    // The request's type ties a name to its documents.
    const value: unknown = await Reflect.apply(WORK[request.name], undefined, [session, document]);
    send({ kind: "result", value });
  }
}

process.on("disconnect", () => process.exit(0));
// An interrupt from the terminal is for the parent.
process.on("SIGINT", () => undefined);
process.on("message", (request: Request) => {
  if (request.kind === "part") {
    parts.set(request.id, [...(parts.get(request.id) ?? []), request.bytes]);
    return;
  }
  if (request.kind === "file") {
    const { id, bytes } = request;
    const before = parts.get(id);
    const resolve = waiting.get(id);
    parts.delete(id);
    waiting.delete(id);
    resolve?.(before === undefined || bytes === undefined ? bytes : Buffer.concat([...before, bytes]));
    return;
  }
  work(request).catch((error: unknown) => {
    send({ kind: "fault", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});
