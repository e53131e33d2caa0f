import type { MediaType, PartEncoding } from "../read/operation.ts";
import { addChange, capped, nameOf, type OperationPair, placeOf } from "./change.ts";
import type { ContentPair } from "./compare-content.ts";

const NONE: PartEncoding = {
  contentTypes: undefined,
  style: undefined,
  explode: undefined,
  allowReserved: false,
  headers: new Map(),
};

type Aspect = "contentType" | "style" | "allowReserved" | "headers";

/** Compares how the parts of a form are written. */
export function compareEncodings(
  pair: OperationPair,
  content: ContentPair,
  old: MediaType,
  next: MediaType,
): void {
  const isUrlencoded = next.name.toLowerCase().includes("form-urlencoded");
  for (const name of new Set([...old.encoding.keys(), ...next.encoding.keys()])) {
    const [before, after] = [old.encoding.get(name) ?? NONE, next.encoding.get(name) ?? NONE];
    compareHeaderSchemas(pair, content, { name, media: next, before, after });
    // The side that reads accepts what it knows: the server by the new text, a client by the old one.
    const [written, read] = content.mode === "request" ? [before, after] : [after, before];
    const aspects: Aspect[] = [
      ...(refusesType(written, read) ? ["contentType" as const] : []),
      ...(styleOf(before, isUrlencoded) === styleOf(after, isUrlencoded) ? [] : ["style" as const]),
      ...(written.allowReserved && !read.allowReserved ? ["allowReserved" as const] : []),
      ...(lacksHeader(written, read) ? ["headers" as const] : []),
    ];
    for (const aspect of aspects) {
      addChange(pair, {
        kind: "encoding-changed",
        level: capped("breaking", content.cap),
        direction: content.mode,
        part: `${content.part} ${next.name}`,
        message:
          content.mode === "request"
            ? `The ${aspect} of the part "${name}" changed: what clients send is no longer read.`
            : `The ${aspect} of the part "${name}" changed: clients can receive what they don't expect.`,
        before: `${aspect}: ${describe(before, aspect, isUrlencoded)}`,
        after: `${aspect}: ${describe(after, aspect, isUrlencoded)}`,
        base: placeOf(old.at),
        head: placeOf(next.at),
      });
    }
  }
}

interface PartPair {
  name: string;
  media: MediaType;
  before: PartEncoding;
  after: PartEncoding;
}

function compareHeaderSchemas(
  pair: OperationPair,
  content: ContentPair,
  { name, media, before, after }: PartPair,
): void {
  for (const [key, header] of after.headers) {
    const old = before.headers.get(key);
    if (old === undefined) continue;
    pair.findings.schemas.push({
      operation: nameOf(pair.next),
      part: `${content.part} ${media.name} part "${name}" header ${key}`,
      old: old.schema,
      next: header.schema,
      mode: content.mode,
      written: "text",
      cap: content.cap,
      optional: !header.required,
      base: placeOf(old.at),
      head: placeOf(header.at),
    });
  }
}

function lacksHeader(written: PartEncoding, read: PartEncoding): boolean {
  return [...read.headers].some(
    ([key, { required }]) => required && written.headers.get(key)?.required !== true,
  );
}

/** Without a content type, the part has the one of its schema, which a listed one may not have. */
function refusesType(written: PartEncoding, read: PartEncoding): boolean {
  if (read.contentTypes === undefined || read.contentTypes.includes("*/*")) return false;
  const accepted = new Set(read.contentTypes);
  if (written.contentTypes === undefined) return true;
  const isAccepted = (type: string) => accepted.has(type) || accepted.has(`${type.split("/")[0]}/*`);
  return !written.contentTypes.every(isAccepted);
}

/** The parts of a multipart body have a style only where it is said. */
function styleOf({ style, explode }: PartEncoding, isUrlencoded: boolean): string {
  return style === undefined && explode === undefined && !isUrlencoded
    ? ""
    : `${style ?? "form"} ${explode ?? (style ?? "form") === "form"}`;
}

function describe(encoding: PartEncoding, aspect: Aspect, isUrlencoded: boolean): string {
  switch (aspect) {
    case "contentType":
      return encoding.contentTypes?.join(", ") ?? "not set";
    case "style":
      return styleOf(encoding, isUrlencoded) || "not set";
    case "allowReserved":
      return String(encoding.allowReserved);
    default: {
      const required = [...encoding.headers].filter(([, header]) => header.required);
      return required.map(([key]) => key).join(", ") || "none";
    }
  }
}
