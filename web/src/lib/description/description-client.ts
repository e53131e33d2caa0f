import { getScanDescription } from "@waymark/shared/scans/descriptions/addresses.ts";
import { requestOf } from "@waymark/shared/operations/request.ts";
import { ConnectionError, refusalOf } from "../api.ts";
import { addressOf } from "../base-path.ts";
import { notLoaded } from "../load-code.ts";
import type { Answer, Answers, Question, ReadFailure } from "./messages.ts";

interface Waiting {
  resolve: (value: Answers[keyof Answers]) => void;
  reject: (error: Error) => void;
}
interface Reader {
  scanRunId: string;
  worker: Worker;
  waiting: Map<number, Waiting>;
}

/** A page shows one description, or what two of them have of a change. */
const READERS_MAX = 2;

/** The threads of the descriptions that were asked last, the latest at the end. */
let readers: Reader[] = [];
let lastId = 0;

/**
 * Reads the description of a run anew, so that it is checked whether the session may, and returns its index.
 *
 * @throws ApiError if it was refused or the run has none, ConnectionError if there was no response
 */
export function openDescription(scanRunId: string): Promise<Answers["index"]> {
  for (const reader of readers.filter((one) => one.scanRunId === scanRunId)) end(reader, otherOpened());
  return ask(scanRunId, { ask: "index" });
}

/** Asks a question about the description of a run. @throws as `openDescription` */
export async function ask<Q extends Question>(scanRunId: string, question: Q): Promise<Answers[Q["ask"]]> {
  const { worker, waiting } = readerOf(scanRunId);
  const id = ++lastId;
  const { path } = requestOf(getScanDescription, { params: { scanRunId }, query: { form: "canonical" } });
  const answer = await new Promise<Answers[keyof Answers]>((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, path: addressOf(path), question });
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread answers the question that it was asked
  return answer as Answers[Q["ask"]];
}

function readerOf(scanRunId: string): Reader {
  const reader = readers.find((one) => one.scanRunId === scanRunId) ?? startReader(scanRunId);
  readers = [...readers.filter((one) => one !== reader), reader];
  for (const oldest of readers.slice(0, -READERS_MAX)) end(oldest, otherOpened());
  return reader;
}

function startReader(scanRunId: string): Reader {
  const worker = new Worker(new URL("description-worker.ts", import.meta.url), { type: "module" });
  const waiting = new Map<number, Waiting>();
  const reader = { scanRunId, worker, waiting };
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if ("value" in data) return one?.resolve(data.value);
    one?.reject(errorOf(data.failure));
    // The next question tries again.
    end(reader, errorOf(data.failure));
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    end(reader, new Error(notLoaded("The reader of descriptions")));
  });
  return reader;
}

/** Ends the threads, and frees the memory of the descriptions. */
export function close(): void {
  for (const reader of readers) end(reader, otherOpened());
}

function otherOpened(): Error {
  return new Error("Another description was opened.");
}

function end(reader: Reader, error: Error): void {
  reader.worker.terminate();
  readers = readers.filter((one) => one !== reader);
  for (const { reject } of reader.waiting.values()) reject(error);
  reader.waiting.clear();
}

function errorOf({ status, body, message }: ReadFailure): Error {
  return status === 0 ? new ConnectionError(message) : refusalOf(status, body);
}
