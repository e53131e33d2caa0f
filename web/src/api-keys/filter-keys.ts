import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { compareText, sortRows } from "../lib/sorting.ts";
import { type Choice, withChosen } from "../lib/with-chosen.ts";
import { summarizeScopes } from "./describe-scope.ts";
import { stateOf } from "./key-state.ts";

const DAY_MS = 24 * 3600 * 1000;
const EXPIRY_WARNING_DAYS = 30;
const NEVER = "9999";

/** The states to filter by: those of a key, and active keys that expire soon. */
export const KEY_FILTERS = [
  "active",
  { value: "expiring", label: `expires in ${EXPIRY_WARNING_DAYS} days` },
  "disabled",
  "expired",
  "revoked",
] as const;

/** True if a key works now and ends within a month. */
export function expiresSoon(key: ApiKey, now: number): boolean {
  return (
    stateOf(key) === "active" &&
    key.expiresAt !== null &&
    Date.parse(key.expiresAt) - now < EXPIRY_WARNING_DAYS * DAY_MS
  );
}

/** The keys that have the text in their name, prefix, owner or scopes, the state and the owner (by id); sorted. */
export function filterKeys(
  keys: readonly ApiKey[],
  { text, state, owner }: { text: string; state: string; owner: string },
  order: string,
  now = Date.now(),
): ApiKey[] {
  const found = keys.filter(
    (key) =>
      (owner === "" || key.ownerPrincipalId === owner) &&
      matchesText(text, [key.name, key.prefix, key.ownerDisplayName, summarizeScopes(key.scopes)]) &&
      (state === "" || (state === "expiring" ? expiresSoon(key, now) : stateOf(key) === state)),
  );
  return sortRows(found, order, COMPARISONS);
}

/** The owners of keys whose names are known, to choose from. An owner that a link names is among them. */
export function ownersOf(keys: readonly ApiKey[], chosen: string): Choice[] {
  const names = new Map(
    keys.flatMap(({ ownerPrincipalId: id, ownerDisplayName: name }) =>
      id === null || name === null ? [] : [[id, name]],
    ),
  );
  const owners = [...names].map(([value, label]) => ({ value, label }));
  return withChosen(owners, chosen).toSorted((a, b) => compareText(a.label, b.label));
}

const COMPARISONS = {
  name: (a: ApiKey, b: ApiKey) => compareText(a.name, b.name),
  status: (a: ApiKey, b: ApiKey) => compareText(stateOf(a), stateOf(b)),
  used: (a: ApiKey, b: ApiKey) => (a.lastUsedAt ?? "").localeCompare(b.lastUsedAt ?? ""),
  expires: (a: ApiKey, b: ApiKey) => (a.expiresAt ?? NEVER).localeCompare(b.expiresAt ?? NEVER),
};
