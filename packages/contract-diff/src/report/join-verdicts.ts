import type { Level, Verdict } from "../verdict.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { Draft } from "./schema-verdicts.ts";

const RANK: Record<Level, number> = { breaking: 0, maybe: 1, safe: 2 };

/** Joins equal changes of several operations into one verdict each, the severe ones first. */
export function joinVerdicts(drafts: readonly Draft[]): Verdict[] {
  const groups = new Map<string, { draft: Draft; operations: Map<string, Verdict["operations"][number]> }>();
  for (const draft of drafts) {
    const key = JSON.stringify(draft.identity);
    const { operation } = draft;
    const name = `${operation.kind} ${operation.method} ${operation.path}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { draft, operations: new Map([[name, operation]]) });
    else {
      group.operations.set(name, operation);
      if (RANK[draft.level] < RANK[group.draft.level]) group.draft = draft;
    }
  }
  const verdicts = [...groups.values()].map(({ draft, operations }) =>
    toVerdict(draft, [...operations.values()]),
  );
  return verdicts.toSorted((a, b) => RANK[a.level] - RANK[b.level]);
}

function toVerdict(draft: Draft, operations: Verdict["operations"]): Verdict {
  const { id, level, direction, message, at, before, after, reason, base, head, identity } = draft;
  return {
    id,
    level,
    direction,
    message,
    at,
    operations,
    before,
    after,
    witness: draft.findWitness(),
    reason,
    base,
    head,
    fingerprint: fingerprintOf(identity),
    accepted: undefined,
  };
}
