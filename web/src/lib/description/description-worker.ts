// Reads a description in a thread of its own, so that a large one does not stop the page.
import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Answer, Question, ReadFailure } from "./messages.ts";
import { ReadableDescription } from "./read-description.ts";

/** A text of 20 MB over a slow connection. */
const TIMEOUT_MS = 120_000;

let reading: Promise<ReadableDescription | ReadFailure> | undefined;

interface Asked {
  id: number;
  path: string;
  question: Question;
}

globalThis.addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  void answerOf(data).then((answer) => globalThis.postMessage(answer));
});

async function answerOf({ id, path, question }: Asked): Promise<Answer> {
  reading ??= read(path);
  try {
    const description = await reading;
    if (!(description instanceof ReadableDescription)) return { id, failure: description };
    return { id, value: description.answer(question) };
  } catch (error) {
    return { id, failure: { status: 0, body: undefined, message: messageOf(error) } };
  }
}

async function read(path: string): Promise<ReadableDescription | ReadFailure> {
  const response = await fetch(path, {
    credentials: "same-origin",
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const body: unknown = await response.json();
  if (!response.ok) return { status: response.status, body, message: "" };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed as JSON
  return new ReadableDescription(body as JsonValue);
}

function messageOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError")
    return `The description did not arrive within ${TIMEOUT_MS / 1000} seconds. Try again.`;
  if (error instanceof TypeError) return "The server can't be reached. Check the connection and try again.";
  return "The description can't be read. Reload the page or try again later.";
}
