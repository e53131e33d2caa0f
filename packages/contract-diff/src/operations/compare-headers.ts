import type { Header } from "../read/operation.ts";
import type { Level } from "../verdict.ts";
import { hasParts } from "./parameter-style.ts";
import { addChange, capped, nameOf, type OperationPair, placeOf } from "./change.ts";

interface HeaderPair {
  old: ReadonlyMap<string, Header>;
  next: ReadonlyMap<string, Header>;
  part: string;
  cap: Level;
}

/** Compares the headers of a response. */
export function compareHeaders(pair: OperationPair, headers: HeaderPair): void {
  for (const [key, header] of headers.old) {
    const match = headers.next.get(key);
    if (match === undefined) addRemoved(pair, headers, header);
    else compareHeader(pair, headers, header, match);
  }
  for (const [key, header] of headers.next) {
    if (headers.old.has(key)) continue;
    const isClients = pair.received === "request";
    addChange(pair, {
      kind: header.required ? "required-header-added" : "header-added",
      level: isClients && header.required ? capped("breaking", headers.cap) : "safe",
      direction: pair.received,
      part: partOf(headers, header),
      message:
        isClients && header.required
          ? `The header ${header.name} is now required of answers: those without it are refused.`
          : `The header ${header.name} was added.`,
      head: placeOf(header.at),
    });
  }
}

function addRemoved(pair: OperationPair, headers: HeaderPair, header: Header): void {
  const isClients = pair.received === "request";
  addChange(pair, {
    kind: header.required ? "required-header-removed" : "header-removed",
    level: capped(header.required && !isClients ? "breaking" : "maybe", headers.cap),
    direction: pair.received,
    part: partOf(headers, header),
    message: `The header ${header.name} is gone: clients that read it miss it.`,
    before: header.required ? "required" : "optional",
    base: placeOf(header.at),
  });
}

function compareHeader(pair: OperationPair, headers: HeaderPair, old: Header, next: Header): void {
  const places = { base: placeOf(old.at), head: placeOf(next.at) };
  if (old.required !== next.required) {
    const breaks = next.required === (pair.received === "request");
    addChange(pair, {
      kind: next.required ? "header-became-required" : "header-became-optional",
      level: breaks ? capped("breaking", headers.cap) : "safe",
      direction: pair.received,
      part: partOf(headers, next),
      message: breaks
        ? `The header ${next.name} is now ${next.required ? "required" : "optional: clients that read it may miss it"}.`
        : `The header ${next.name} is now ${next.required ? "always sent" : "optional"}.`,
      before: old.required ? "required" : "optional",
      after: next.required ? "required" : "optional",
      ...places,
    });
  }
  // Scalars are written equally, exploded or not.
  const isContent = [old, next].some(({ written }) => written.startsWith("content"));
  if (old.written !== next.written && (isContent || hasParts([...old.schema, ...next.schema]))) {
    addChange(pair, {
      kind: "header-style-changed",
      level: capped("breaking", headers.cap),
      direction: pair.received,
      part: partOf(headers, next),
      message: `The header ${next.name} is written in another way: what is sent no longer has its meaning.`,
      before: old.written,
      after: next.written,
      ...places,
    });
  }
  pair.findings.schemas.push({
    operation: nameOf(pair.next),
    part: partOf(headers, next),
    old: old.schema,
    next: next.schema,
    mode: pair.received,
    written: "text",
    cap: headers.cap,
    optional: !next.required,
    ...places,
  });
}

function partOf({ part }: HeaderPair, { name }: Header): string {
  return `${part} header ${name}`;
}
