import { addChange, nameOf, type OperationPair, placeOf } from "./change.ts";
import { compareBodies } from "./compare-bodies.ts";
import { compareParameters } from "./compare-parameters.ts";
import { compareResponses } from "./compare-responses.ts";
import { compareSecurity } from "./compare-security.ts";
import { compareLifecycle } from "./lifecycle.ts";
import { removedOperation } from "./removed-operation.ts";

/** Compares two operations at one address. */
export function compareOperation(pair: OperationPair): void {
  compareIds(pair);
  compareLifecycle(pair);
  compareParameters(pair);
  compareBodies(pair);
  compareResponses(pair);
  if (pair.old.kind === "operation") compareSecurity(pair);
  compareCallbacks(pair);
}

function compareIds(pair: OperationPair): void {
  const { old, next } = pair;
  if (old.operationId === undefined || old.operationId === next.operationId) return;
  const isGone = next.operationId === undefined;
  addChange(pair, {
    kind: isGone ? "operation-id-removed" : "operation-id-changed",
    level: "maybe",
    direction: "operation",
    part: "",
    message: `The operationId "${old.operationId}" ${isGone ? "is gone" : `is now "${next.operationId}"`}: generated clients name the call differently.`,
    before: old.operationId,
    after: next.operationId,
    base: placeOf(old.at),
    head: placeOf(next.at),
  });
}

/** In a callback, the provider sends the request. */
function compareCallbacks(pair: OperationPair): void {
  const { old, next, findings, policy } = pair;
  const key = (callback: { method: string; path: string }) => `${callback.method} ${callback.path}`;
  const after = new Map(next.callbacks.map((callback) => [key(callback), callback]));
  for (const callback of old.callbacks) {
    const match = after.get(key(callback));
    after.delete(key(callback));
    if (match === undefined)
      findings.changes.push(
        removedOperation(callback, { today: policy.today, successor: undefined, under: nameOf(next) }),
      );
    else
      compareOperation({
        old: callback,
        next: match,
        sent: "response",
        received: "request",
        findings,
        policy,
      });
  }
  for (const callback of after.values()) {
    addChange(pair, {
      kind: "callback-added",
      level: "safe",
      direction: "operation",
      part: `callback ${callback.path}`,
      message: `The callback ${callback.path} was added.`,
      head: placeOf(callback.at),
    });
  }
}
