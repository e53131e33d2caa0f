import { addChange, type OperationPair, placeOf } from "./change.ts";
import { compareContent } from "./compare-content.ts";

const PART = "request body";

/** Compares the bodies of requests. */
export function compareBodies(pair: OperationPair): void {
  const [old, next] = [pair.old.body, pair.next.body];
  const isClients = pair.sent === "request";
  if (old === undefined && next === undefined) return;
  if (old === undefined || next === undefined) {
    const isAdded = next !== undefined;
    const breaks = isAdded ? isClients && next.required : true;
    const at = next?.at ?? old?.at;
    addChange(pair, {
      kind: isAdded ? (next.required ? "required-body-added" : "body-added") : "body-removed",
      level: breaks ? "breaking" : "safe",
      direction: pair.sent,
      part: PART,
      message: isAdded
        ? breaks
          ? "A required body was added: requests without it are refused."
          : "A body was added."
        : isClients
          ? "The body was removed: servers ignore or refuse what clients send."
          : "The body was removed: receivers miss what it brought.",
      [isAdded ? "head" : "base"]: at === undefined ? undefined : placeOf(at),
    });
    return;
  }
  if (old.required !== next.required) {
    const breaks = next.required === isClients;
    addChange(pair, {
      kind: next.required ? "body-became-required" : "body-became-optional",
      level: breaks ? "breaking" : "safe",
      direction: pair.sent,
      part: PART,
      message: breaks
        ? isClients
          ? "The body is now required: requests without one are refused."
          : "The body is now optional: receivers may get none."
        : `The body is now ${next.required ? "required" : "optional"}.`,
      before: old.required ? "required" : "optional",
      after: next.required ? "required" : "optional",
      base: placeOf(old.at),
      head: placeOf(next.at),
    });
  }
  compareContent(pair, {
    old: old.content,
    next: next.content,
    part: PART,
    mode: pair.sent,
    cap: "breaking",
  });
}
