import {
  COLLECTION_STYLE,
  type Event,
  EVENT_ID,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";
type JsonObject = Record<string, unknown>;
import { DOUBTFUL, plainScalar } from "./plain-scalar.ts";

export interface Constructed {
  value: unknown;
  /** The original text of members and items whose value is shown differently, such as `1.0`. */
  writings: Map<object, Map<string, string>>;
}

interface Construction {
  text: string;
  writings: Constructed["writings"];
  frame: Frame;
  outer: Frame[];
}

interface Frame {
  into: unknown[] | JsonObject;
  inFlow: boolean;
  /** The key that waits for its value, in an object. */
  key: string | undefined;
}

/** The full YAML parser accepts no key of more than 1024 characters, including its quotes. */
const KEY_CHARS_MAX = 1000;
/** In an event: absent. */
const ABSENT = -1;

/** A document's value from its events; undefined if the full YAML parser might read it differently. */
export function constructPlain(text: string, events: readonly Event[]): Constructed | undefined {
  const documents: unknown[] = [];
  const frame: Frame = { into: documents, inFlow: false, key: undefined };
  const construction: Construction = {
    text,
    writings: new Map(),
    frame,
    outer: [],
  };
  if (!events.slice(1).every((event) => take(construction, event))) return undefined;
  return { value: documents[0], writings: construction.writings };
}

/** False for an ambiguous event. */
function take(construction: Construction, event: Event): boolean {
  switch (event.type) {
    case EVENT_ID.SEQUENCE:
      return open(construction, event, []);
    case EVENT_ID.MAPPING:
      return open(construction, event, {});
    case EVENT_ID.SCALAR:
      return takeScalar(construction, event);
    case EVENT_ID.POP:
      construction.frame = construction.outer.pop() ?? construction.frame;
      return true;
    // An alias, or a second document.
    default:
      return false;
  }
}

function open(
  construction: Construction,
  event: SequenceEvent | MappingEvent,
  into: unknown[] | JsonObject,
): boolean {
  if (hasProperties(event) || !add(construction, into)) return false;
  construction.outer.push(construction.frame);
  construction.frame = { into, inFlow: event.style === COLLECTION_STYLE.FLOW, key: undefined };
  return true;
}

function takeScalar(construction: Construction, event: ScalarEvent): boolean {
  if (hasProperties(event)) return false;
  const { text, frame, writings } = construction;
  const { into, key } = frame;
  if (!Array.isArray(into) && key === undefined) {
    frame.key = keyOf(text, event, frame.inFlow);
    return frame.key !== undefined;
  }
  const written = getScalarValue(text, event);
  // An empty block scalar may also be one with too little indentation.
  if (event.style >= SCALAR_STYLE.LITERAL_BLOCK && written.trim() === "") return false;
  const value = event.style === SCALAR_STYLE.PLAIN ? plainScalar(written) : written;
  if (value === DOUBTFUL) return false;
  if (typeof value !== "string" && value !== null && String(value) !== written) {
    const members = writings.get(into) ?? new Map<string, string>();
    writings.set(into, members.set(Array.isArray(into) ? String(into.length) : (key ?? ""), written));
  }
  return add(construction, value);
}

/** False for a collection in the place of a key, and for a key that occurs twice: the full YAML parser knows its places. */
function add({ frame }: Construction, value: unknown): boolean {
  if (Array.isArray(frame.into)) {
    frame.into.push(value);
    return true;
  }
  if (frame.key === undefined || Object.hasOwn(frame.into, frame.key)) return false;
  frame.into[frame.key] = value;
  frame.key = undefined;
  return true;
}

function keyOf(text: string, event: ScalarEvent, inFlow: boolean): string | undefined {
  const { valueStart, valueEnd, style } = event;
  if (valueEnd - valueStart > KEY_CHARS_MAX) return undefined;
  const key = getScalarValue(text, event);
  if (key === "__proto__") return undefined;
  if (style === SCALAR_STYLE.PLAIN) {
    const value = plainScalar(key);
    if (value === DOUBTFUL || value === null || String(value) !== key) return undefined;
  }
  const start = style === SCALAR_STYLE.PLAIN ? valueStart : valueStart - 1;
  return inFlow || beginsLine(text, start) ? key : undefined;
}

/** Whether only indentation and block indicators precede it: js-yaml also accepts `- []key: 1`. */
function beginsLine(text: string, start: number): boolean {
  let before = start - 1;
  while (before >= 0 && " -?:".includes(text.charAt(before))) before--;
  return before < 0 || text[before] === "\n";
}

function hasProperties({ anchorStart, tagStart }: SequenceEvent | MappingEvent | ScalarEvent): boolean {
  return anchorStart !== ABSENT || tagStart !== ABSENT;
}
