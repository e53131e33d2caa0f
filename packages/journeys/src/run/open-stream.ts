import type { TransportResponse } from "./transport.ts";

const EVENTS = /^text\/event-stream(?:\s*[;,]|$)/i;
const LINES = /^application\/(?:(?:x-)?ndjson|(?:x-)?jsonl(?:ines)?|json-seq|stream\+json)(?:\s*[;,]|$)/i;

/** True for a response that is a sequence of events or lines, which a server may never end. */
export function isStream(response: TransportResponse): boolean {
  const mediaType = mediaTypeOf(response);
  return EVENTS.test(mediaType) || LINES.test(mediaType);
}

/** Returns the text of an open stream up to the end of its last complete event or line. */
export function completePart(text: string, mediaType: string): string {
  const ends = EVENTS.test(mediaType) ? ["\r\n\r\n", "\n\n", "\r\r"] : ["\n"];
  const last = ends.map((end) => {
    const index = text.lastIndexOf(end);
    return index === -1 ? 0 : index + end.length;
  });
  return text.slice(0, Math.max(...last));
}

/** The text of a stream that had not ended when the time was up. */
interface OpenText {
  /** The text that the criteria see. */
  text: string;
  mediaType: string;
  /** The number of bytes that had arrived. */
  bytes: number;
  /** True if complete events or lines at its end were left out, because they may be a part of a secret. */
  isShortened: boolean;
}

/** Returns the sentences about a stream that had not ended when the time was up. */
export function openNote({ text, mediaType, bytes, isShortened }: OpenText): string {
  const isEvents = EVENTS.test(mediaType);
  const count = isEvents ? countEvents(text) : text.split("\n").filter((line) => line.trim() !== "").length;
  const what = isEvents ? "event" : "line";
  const open = "The stream was still open when the time of the step was over.";
  if (text === "" && bytes > 0 && !isShortened) {
    const end = isEvents ? "an empty line" : "a line break";
    return `${open} ${bytes} bytes had arrived, but no complete ${what}, which ends with ${end}.`;
  }
  const seen = `${open} The criteria see what had arrived: ${count} ${count === 1 ? what : `${what}s`}.`;
  return isShortened ? `${seen} The end was left out, because it may be a part of a secret.` : seen;
}

/** A block of comments, which a server sends to keep the connection, is no event. */
function countEvents(text: string): number {
  const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
  return blocks.filter((block) => block.split(/\r\n|\n|\r/).some((line) => /^[^:\s]/.test(line))).length;
}

function mediaTypeOf({ headers }: TransportResponse): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
}
