import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Level } from "../verdict.ts";
import type { Conjunction, SchemaNode } from "../read/node.ts";

/** How the set of values changed: fewer values, more, both, or it can't be decided. */
export type Effect = "narrow" | "widen" | "both" | "unknown";

/** Where a schema lies inside another one. */
export type Step =
  | { kind: "property"; name: string }
  | { kind: "item"; index: number | undefined }
  | { kind: "names" }
  | { kind: "pattern"; source: string }
  | { kind: "others" }
  | { kind: "part"; keyword: string };

/** A difference between two schemas. */
export interface Finding {
  /** The name of the rule, without the direction. */
  kind: string;
  effect: Effect;
  /** The level in requests and in answers, if it isn't the one of the effect. */
  levels?: Partial<Record<Mode, Level | undefined>> | undefined;
  /** The member that it is about, such as the property that is now required. */
  step?: Step | undefined;
  before?: string | undefined;
  after?: string | undefined;
  /** All values of the difference, which identify it where `before` and `after` show some. */
  exact?: string | undefined;
  /** The keyword, for the place. */
  keyword?: string | undefined;
  /** A value that the valid side allows and the other one doesn't, to be checked. */
  witness?: (() => JsonValue | undefined) | undefined;
  oldNode?: SchemaNode | undefined;
  newNode?: SchemaNode | undefined;
  /** A property vanishes that no longer has a meaning. */
  lost?: boolean;
  /** The component of an alternative. */
  subject?: string | undefined;
  /** Why it can't be decided. */
  reason?: string | undefined;
}

/** The direction in which values of a schema are sent: to the server, or to the client. */
export type Mode = "request" | "response";

/** How values are written: as JSON, as text, in which a number is a text as well, or as XML, where that holds too. */
export type Written = "json" | "text" | "xml";

/** The bits of the effects that matter at a place. */
export const NARROW = 1;
export const WIDEN = 2;
export const ALL = 3;

/** A pair of schemas inside the compared pair. */
export interface Edge {
  old: Conjunction;
  new: Conjunction;
  step: Step;
  /** The effects that count. */
  pass: number;
  /** Inside a `not`, more values are fewer. */
  flips?: boolean;
}

export interface PairResult {
  findings: Finding[];
  edges: Edge[];
}

export function emptyResult(): PairResult {
  return { findings: [], edges: [] };
}
