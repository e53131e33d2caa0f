import type { Level, Verdict } from "../verdict.ts";

/** An exception that a team made. */
export interface Ignore {
  /** The rule or the fingerprint that it is for. */
  id: string;
  /** Limits a rule to one operation, as `GET /pets`. */
  operation?: string | undefined;
  reason: string;
  /** The last day on which it holds, as `YYYY-MM-DD`. */
  until?: string | undefined;
}

/** A team's own rules. */
export interface Policy {
  today: string;
  /** The level of a rule, by its id. */
  levels?: Readonly<Record<string, Level>> | undefined;
  ignores?: readonly Ignore[] | undefined;
}

export interface PolicyResult {
  /** The severe ones first; those of an exception have `accepted`. */
  verdicts: Verdict[];
  /** Exceptions that match nothing any more, or that are over. */
  idleIgnores: Ignore[];
}

const RANK: Record<Level, number> = { breaking: 0, maybe: 1, safe: 2 };

/** Applies the levels and the exceptions of a team. A change with an exception stays in the list. */
export function applyPolicy(
  verdicts: readonly Verdict[],
  { today, levels, ignores = [] }: Policy,
): PolicyResult {
  const used = new Set<Ignore>();
  const judged = verdicts.map((verdict): Verdict => {
    const level = levels !== undefined && Object.hasOwn(levels, verdict.id) ? levels[verdict.id] : undefined;
    const ignore = ignores.find(
      (each) => isFor(each, verdict) && (each.until === undefined || each.until >= today),
    );
    if (ignore !== undefined) used.add(ignore);
    const accepted = ignore === undefined ? undefined : { reason: ignore.reason, until: ignore.until };
    return { ...verdict, level: level ?? verdict.level, accepted };
  });
  return {
    verdicts: judged.toSorted((a, b) => RANK[a.level] - RANK[b.level]),
    idleIgnores: ignores.filter((ignore) => !used.has(ignore)),
  };
}

function isFor({ id, operation }: Ignore, verdict: Verdict): boolean {
  if (id !== verdict.id && id !== verdict.fingerprint) return false;
  return (
    operation === undefined ||
    verdict.operations.some(({ method, path }) => `${method} ${path}` === operation)
  );
}
