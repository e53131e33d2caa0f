import type { Ignore } from "@waymark/contract-diff/report/policy.ts";
import { printable } from "../../lib/text.ts";

/** Says why an exception of `waymark.yaml` holds for no change: it is over, or no change is one that it is for. */
export function describeIdleIgnore({ id, operation, until }: Ignore, today: string): string {
  const of = operation === undefined ? "" : ` of ${printable(operation, 200)}`;
  const exception = `the exception for ${printable(id, 100)}${of} in waymark.yaml`;
  return until !== undefined && until < today
    ? `${exception} ended after ${until}: remove it, or give it a later day.`
    : `${exception} matches no change: remove it.`;
}
