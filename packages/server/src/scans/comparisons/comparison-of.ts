import { ENGINE_VERSION } from "@waymark/contract-diff/engine-version.ts";
import type { Comparison, NotComparedReason } from "@waymark/shared/scans/comparisons/schema.ts";

type Counts = NonNullable<Comparison["counts"]>;

const NO_CHANGES: Counts = { breaking: 0, maybe: 0, safe: 0, approved: 0 };
const NOTHING = { counts: null, notListed: 0, notCompared: [], comparedAt: null, rules: null };

/** Returns the result of a comparison that found verdicts, or none. @param found.engine the version of the rules; null if it is not known */
export function comparedOf(
  against: string | null,
  found: {
    counts: Counts;
    /** How many verdicts are stored. */
    verdictCount: number;
    notCompared: Comparison["notCompared"];
    comparedAt: string | null;
    engine: number | null;
  },
): Comparison {
  const { counts, verdictCount, notCompared, comparedAt, engine } = found;
  return {
    status: "compared",
    reason: null,
    against,
    counts,
    notListed: counts.breaking + counts.maybe + counts.safe - verdictCount,
    notCompared,
    comparedAt,
    // During an upgrade, a worker may have newer rules than this process.
    rules: engine === null ? null : { version: engine, latest: Math.max(engine, ENGINE_VERSION) },
  };
}

/** Returns the result for two descriptions that differ in their form at most. */
export function sameOf(against: string | null): Comparison {
  return { ...NOTHING, status: "compared", reason: null, against, counts: NO_CHANGES };
}

export function notComparedOf(against: string | null, reason: NotComparedReason): Comparison {
  return { ...NOTHING, status: "not_compared", reason, against };
}

export function pendingOf(against: string | null): Comparison {
  return { ...NOTHING, status: "pending", reason: null, against };
}
