import type { Principal } from "@waymark/shared/principals/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { compareText, sortRows } from "../lib/sorting.ts";
import { describeGrant } from "./describe-role.ts";

export const PRINCIPAL_STATES = ["active", "disabled"] as const;

/** Returns whether a principal's keys work. */
export function stateOf({ disabledAt }: Pick<Principal, "disabledAt">): (typeof PRINCIPAL_STATES)[number] {
  return disabledAt === null ? "active" : "disabled";
}

/** Returns the principals of a type that have the text in their name, address or roles, and the state and the role; sorted. */
export function filterPeople(
  principals: readonly Principal[],
  { type, text, state, role }: { type: Principal["type"]; text: string; state: string; role: string },
  order: string,
): Principal[] {
  const found = principals.filter(
    (one) =>
      one.type === type &&
      matchesText(text, [one.displayName, one.email, ...one.roleGrants.map(describeGrant)]) &&
      (state === "" || stateOf(one) === state) &&
      (role === "" || one.roleGrants.some((grant) => grant.role === role)),
  );
  return sortRows(found, order, COMPARISONS);
}

const COMPARISONS = {
  name: (a: Principal, b: Principal) => compareText(a.displayName, b.displayName),
  state: (a: Principal, b: Principal) => compareText(stateOf(a), stateOf(b)),
  seen: (a: Principal, b: Principal) => (a.lastSeenAt ?? "").localeCompare(b.lastSeenAt ?? ""),
};
