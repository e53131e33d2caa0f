import type { AttemptResult, EarlierExchange, Evidence, Exchange } from "../result/result.ts";
import { EARLIER_EXCHANGES_MAX } from "../result/limits.ts";

/** The exchanges of the first attempts are kept; those of later ones push each other out. */
const FIRST_KEPT = 3;

/** The attempts of a step that another one follows, and what they exchanged. */
export interface AttemptHistory {
  readonly attempts: readonly AttemptResult[];
  add: (attempt: Omit<AttemptResult, "n">, evidence: Evidence | undefined) => void;
  /** Returns the evidence of the last attempt with that of the earlier ones. @param clean removes secrets that are known since */
  evidenceWith: (last: Evidence, clean: (exchange: Exchange) => Exchange) => Evidence;
  /** The number of exchanges that were left out. */
  leftOut: () => number;
}

export function createAttemptHistory(): AttemptHistory {
  const attempts: AttemptResult[] = [];
  const exchanges: EarlierExchange[] = [];
  let leftOut = 0;
  return {
    attempts,
    add(attempt, evidence) {
      const n = attempts.length + 1;
      attempts.push({ n, ...attempt });
      if (evidence === undefined) return;
      if (exchanges.length === EARLIER_EXCHANGES_MAX) {
        exchanges.splice(FIRST_KEPT, 1);
        leftOut += 1;
      }
      exchanges.push({ ...evidence, attempt: n });
    },
    evidenceWith(last, clean) {
      if (exchanges.length === 0) return last;
      const earlier = exchanges.map(({ attempt, ...exchange }) => ({ ...clean(exchange), attempt }));
      return { ...last, earlier };
    },
    leftOut: () => leftOut,
  };
}
