import type { TransportResponse } from "./transport.ts";

const EVENTS = /^text\/event-stream(?:\s*[;,]|$)/i;
const LINES = /^application\/(?:(?:x-)?ndjson|(?:x-)?jsonl(?:ines)?|json-seq|stream\+json)(?:\s*[;,]|$)/i;

/** True for a response that is a sequence of events or lines, which a server may never end. */
export function isStream(response: TransportResponse): boolean {
  const mediaType = mediaTypeOf(response);
  return EVENTS.test(mediaType) || LINES.test(mediaType);
}

/** The text of an open stream up to the end of its last complete event or line. */
export function completePart(text: string, mediaType: string): string {
  const ends = EVENTS.test(mediaType) ? /\r\n\r\n|\n\n|\r\r/g : /\n/g;
  const last = [...text.matchAll(ends)].at(-1);
  return last === undefined ? "" : text.slice(0, last.index + last[0].length);
}

/** The sentence about a stream that had not ended when the time was up. */
export function openNote(response: TransportResponse): string {
  const mediaType = mediaTypeOf(response);
  const text = completePart(new TextDecoder().decode(response.body), mediaType);
  const isEvents = EVENTS.test(mediaType);
  const count = isEvents ? countEvents(text) : text.split("\n").filter((line) => line.trim() !== "").length;
  const what = isEvents ? "event" : "line";
  const open = "The stream was still open when the time of the step was over.";
  if (text === "" && response.body.length > 0) {
    const end = isEvents ? "an empty line" : "a line break";
    return `${open} ${response.body.length} bytes had arrived, but no complete ${what}, which ends with ${end}.`;
  }
  return `${open} The criteria see what had arrived: ${count} ${count === 1 ? what : `${what}s`}.`;
}

/** A block of comments, which a server sends to keep the connection, is no event. */
function countEvents(text: string): number {
  const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
  return blocks.filter((block) => block.split(/\r\n|\n|\r/).some((line) => /^[^:\s]/.test(line))).length;
}

function mediaTypeOf({ headers }: TransportResponse): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
}
