import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Finding } from "./pair-result.ts";

interface LimitChange {
  /** Such as `max-length`. */
  name: string;
  keyword: string;
  side: "lower" | "upper";
  old: number | undefined;
  new: number | undefined;
  /** Returns a value at the limit, which the other side may not allow. */
  witness?: (limit: number) => JsonValue | undefined;
}

/** Compares a limit: a higher lower limit and a lower upper limit allow fewer values. */
export function compareLimit({ name, keyword, side, old, new: next, witness }: LimitChange): Finding[] {
  if (old === next) return [];
  const none = side === "lower" ? -Infinity : Infinity;
  const [before, after] = [old ?? none, next ?? none];
  const isNarrow = side === "lower" ? after > before : after < before;
  const verb =
    old === undefined ? "set" : next === undefined ? "unset" : after > before ? "raised" : "lowered";
  const beyond = side === "lower" ? -1 : 1;
  // The valid side's own limit, or the first value beyond the other one's.
  const [valid, other] = isNarrow ? [old, next] : [next, old];
  const limit = valid ?? (other ?? 0) + beyond;
  return [
    {
      kind: `${name}-${verb}`,
      effect: isNarrow ? "narrow" : "widen",
      keyword,
      before: old === undefined ? undefined : `${keyword}: ${old}`,
      after: next === undefined ? undefined : `${keyword}: ${next}`,
      witness: witness === undefined ? undefined : () => witness(limit),
    },
  ];
}

/** Zero is no lower limit of a length. */
export function positive(limit: number): number | undefined {
  return limit > 0 ? limit : undefined;
}
