import type { OperationChange } from "../operations/change.ts";
import type { Draft } from "./schema-verdicts.ts";
import { scopeOf } from "./scope.ts";

/** Rules of which the direction is clear. */
const BARE = /^(?:security|server|base-path|parameter|required-parameter|reference)/;

export function draftOfChange(change: OperationChange): Draft {
  const { kind, level, direction, part, message, before, after, base, head, witness, operation, shared } =
    change;
  const id = direction === "operation" || BARE.test(kind) ? kind : `${direction}-${kind}`;
  const scope = shared === true ? "all" : scopeOf(base ?? head, operation);
  return {
    id,
    level,
    direction,
    message,
    at: part,
    operation,
    before,
    after,
    reason: undefined,
    base,
    head,
    identity: [id, scope, part, before ?? "", after ?? ""],
    findWitness: () => witness,
  };
}
