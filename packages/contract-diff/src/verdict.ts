import type { JsonValue } from "@waymark/openapi/json.ts";

/** `breaking`: a client can stop working. `maybe`: it depends on the server or the client. `safe`: no client notices. */
export type Level = "breaking" | "maybe" | "safe";

export type Direction = "request" | "response" | "operation";

/** An operation by method and path; a webhook has its name as the path. */
export interface OperationName {
  method: string;
  path: string;
  kind: "operation" | "webhook" | "callback";
}

/** A place in a file; lines and columns start at 1. */
export interface Position {
  /** Empty for the entry file, else relative to it. */
  file: string;
  pointer: string;
  line?: number;
  column?: number;
}

/** A change of a contract, and whether it breaks clients. */
export interface Verdict {
  /** The rule, such as `request-property-became-required`. */
  id: string;
  level: Level;
  direction: Direction;
  /** Says in one sentence what stops working for whom. */
  message: string;
  /** The part of the operation, such as `request body, property address.street`. */
  at: string;
  operations: OperationName[];
  before: string | undefined;
  after: string | undefined;
  /** A value that was valid and no longer is (requests), or that can now arrive (answers). */
  witness: JsonValue | undefined;
  /** Why the verdict is `maybe`, where the comparison could not decide. */
  reason: string | undefined;
  base: Position | undefined;
  head: Position | undefined;
  /** Identifies the change; edits elsewhere don't change it. */
  fingerprint: string;
  /** The accepted exception that matches. */
  accepted: { reason: string; until: string | undefined } | undefined;
}
