import type { SecurityAlternative } from "../read/operation.ts";
import { readScheme, schemeNames, type SecurityScheme } from "../read/read-security.ts";
import { addChange, type OperationPair, placeOf } from "./change.ts";

/** Compares who may call: every old way to authenticate must still satisfy a new one. */
export function compareSecurity(pair: OperationPair): void {
  const { old, next } = pair;
  const refused = old.security.filter((before) => !next.security.some((after) => satisfies(before, after)));
  const [first] = refused;
  if (first !== undefined) addRefused(pair, first, refused.length);
  else if (describeAll(old.security) !== describeAll(next.security)) addRelaxed(pair);
  compareSchemes(pair);
}

function satisfies(before: SecurityAlternative, after: SecurityAlternative): boolean {
  return [...after].every(([scheme, scopes]) => {
    const given = before.get(scheme);
    return given !== undefined && [...scopes].every((scope) => given.has(scope));
  });
}

function addRefused(pair: OperationPair, refused: SecurityAlternative, count: number): void {
  const { old, next } = pair;
  const sameSchemes = next.security.find((after) => [...after.keys()].every((scheme) => refused.has(scheme)));
  const missing = [...(sameSchemes ?? [])].flatMap(([scheme, scopes]) =>
    [...scopes].filter((scope) => refused.get(scheme)?.has(scope) !== true),
  );
  const isOpen = refused.size === 0;
  const kind = isOpen
    ? "security-added"
    : missing.length > 0
      ? "security-scope-added"
      : "security-alternative-removed";
  addChange(pair, {
    kind,
    level: "breaking",
    direction: "request",
    part: "security",
    message: isOpen
      ? `Requests without credentials are refused: ${describeAll(next.security)} is needed.`
      : missing.length > 0
        ? `The scope ${missing.join(", ")} is now needed: clients without it are refused.`
        : `Clients that authenticate with ${describe(refused)} are refused${count > 1 ? `, and those of ${count - 1} more ways` : ""}.`,
    before: describeAll(old.security),
    after: describeAll(next.security),
    base: placeOf(old.at),
    head: placeOf(next.at),
  });
}

function addRelaxed(pair: OperationPair): void {
  const { old, next } = pair;
  addChange(pair, {
    kind: "security-relaxed",
    level: "safe",
    direction: "request",
    part: "security",
    message: "All credentials that were accepted still are.",
    before: describeAll(old.security),
    after: describeAll(next.security),
    base: placeOf(old.at),
    head: placeOf(next.at),
  });
}

/** Addresses that tokens come from, and scopes that the scheme no longer defines. */
function compareSchemes(pair: OperationPair): void {
  const { old, next } = pair;
  const news = schemeNames(next.description, next.at).map((name) => readScheme(next.description, name));
  for (const name of schemeNames(old.description, old.at)) {
    const before = readScheme(old.description, name);
    const after = news.find(({ key }) => key === before.key);
    if (after === undefined) continue;
    for (const [field, address] of before.addresses) {
      if (after.addresses.get(field) !== address) addAddress(pair, { before, after, field, name });
    }
    const needed = next.security.flatMap((each) => [...(each.get(after.key) ?? [])]);
    const gone = needed.filter(
      (scope) => before.scopes?.has(scope) === true && after.scopes?.has(scope) === false,
    );
    if (gone.length > 0) {
      addChange(pair, {
        kind: "security-scope-undefined",
        level: "maybe",
        direction: "request",
        part: "security",
        message: `The scope ${gone.join(", ")} is needed but no longer defined: clients may be unable to get it.`,
        before: gone.join(", "),
        base: before.at && placeOf(before.at),
        head: after.at && placeOf(after.at),
      });
    }
  }
}

interface AddressChange {
  before: SecurityScheme;
  after: SecurityScheme;
  field: string;
  name: string;
}

function addAddress(pair: OperationPair, { before, after, field, name }: AddressChange): void {
  addChange(pair, {
    kind: "security-address-changed",
    level: "maybe",
    direction: "request",
    part: "security",
    message: `The ${field.trim()} of ${name} changed: clients that have the old address may get no token.`,
    before: before.addresses.get(field),
    after: after.addresses.get(field),
    base: before.at && placeOf(before.at),
    head: after.at && placeOf(after.at),
    shared: true,
  });
}

function describeAll(alternatives: readonly SecurityAlternative[]): string {
  return alternatives.map(describe).toSorted().join(" or ");
}

function describe(alternative: SecurityAlternative): string {
  if (alternative.size === 0) return "no credentials";
  return [...alternative]
    .map(([scheme, scopes]) =>
      scopes.size === 0 ? scheme : `${scheme} (${[...scopes].toSorted().join(", ")})`,
    )
    .toSorted()
    .join(" and ");
}
