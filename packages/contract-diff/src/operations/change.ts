import type { JsonValue } from "@waymark/openapi/json.ts";
import type { At } from "../read/description.ts";
import type { Operation } from "../read/operation.ts";
import type { Conjunction, Place } from "../read/node.ts";
import type { Mode, Written } from "../schemas/pair-result.ts";
import type { Direction, Level, OperationName } from "../verdict.ts";

/** A difference of an operation outside its schemas. */
export interface OperationChange {
  kind: string;
  level: Level;
  direction: Direction;
  /** The part of the operation, such as `query parameter "limit"`; empty for the operation itself. */
  part: string;
  message: string;
  before?: string | undefined;
  after?: string | undefined;
  base?: Place | undefined;
  head?: Place | undefined;
  witness?: JsonValue | undefined;
  operation: OperationName;
  /** The change is one for all operations, such as another base path. */
  shared?: boolean;
}

/** Two schemas at one place of an operation, to be compared. */
export interface PartSchemas {
  operation: OperationName;
  /** The part of the operation, such as `request body application/json`. */
  part: string;
  old: Conjunction;
  next: Conjunction;
  mode: Mode;
  written: Written;
  /** The most that a difference can be here. */
  cap: Level;
  /** The value may be left out, so that what it is by default matters. */
  optional: boolean;
  base: Place;
  head: Place;
}

/** The differences of operations, as they are found. */
export interface Findings {
  changes: OperationChange[];
  schemas: PartSchemas[];
}

/** Days of notice by `x-stability-level`; `default` is for all other levels. */
export type NoticeDays = Readonly<Record<string, number>>;

/** The rules for the end of an operation. */
export interface LifecyclePolicy {
  /** The day by which announced ends are over, as `YYYY-MM-DD`. */
  today: string;
  noticeDays?: NoticeDays | undefined;
}

/** Two operations at one address. */
export interface OperationPair {
  old: Operation;
  next: Operation;
  /** The mode of the operation's input: `request`, but `response` for a webhook, whose payload the provider sends. */
  sent: Mode;
  received: Mode;
  findings: Findings;
  policy: LifecyclePolicy;
}

export function nameOf({ method, path, kind }: OperationName): OperationName {
  return { method, path, kind };
}

export function placeOf({ file, pointer }: At): Place {
  return { file, pointer };
}

/** Adds a change of the pair's operation. */
export function addChange(pair: OperationPair, change: Omit<OperationChange, "operation">): void {
  pair.findings.changes.push({ ...change, operation: nameOf(pair.next) });
}

/** The less severe of two levels. */
export function capped(level: Level, cap: Level): Level {
  const order: Level[] = ["safe", "maybe", "breaking"];
  return order[Math.min(order.indexOf(level), order.indexOf(cap))] ?? level;
}

/** Returns how the values of both media types are written. */
export function writtenBy(old: string, next: string): Written {
  const isXml = [old, next].map((name) => /[/+]xml\b/.test(name.toLowerCase()));
  if (isXml[0] === true && isXml[1] === true) return "xml";
  const isText = (name: string) => /^text\/|[/+]xml\b|form-urlencoded|multipart\//.test(name.toLowerCase());
  return isText(old) && isText(next) ? "text" : "json";
}
