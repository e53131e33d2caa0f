import { compareContracts, type Comparison } from "@waymark/contract-diff/compare-contracts.ts";
import type { Position, Verdict } from "@waymark/contract-diff/verdict.ts";
import { compareScans, type ScanContent } from "@waymark/shared/scans/changes.ts";
import type { NormalizedEndpoint } from "@waymark/shared/scans/schema.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import type { Changes } from "../../report/describe-changes.ts";
import type { Description } from "../scan/read-description.ts";
import type { ContractSide } from "./read-contract.ts";

/** The differences of two descriptions. */
export interface SideChanges {
  changes: Changes;
  comparison: Comparison;
  /** The endpoints that calls no longer reach. */
  missing: NormalizedEndpoint[];
}

/** Compares the scans of both sides, and the requests and responses that each allows. */
export function compareSides(
  before: ContractSide,
  after: ContractSide,
  { contract, today }: { contract: ProjectFile["contract"]; today: string },
): SideChanges {
  const comparison = compareContracts(before.contract, after.contract, {
    today,
    levels: contract?.levels,
    noticeDays: contract?.noticeDays,
    ignores: contract?.ignores,
  });
  for (const verdict of comparison.verdicts) {
    rename(verdict.base, before);
    rename(verdict.head, after);
  }
  for (const { place } of comparison.notCompared) rename(place, after);
  const compared = compareScans(normalized(before.description), normalized(after.description));
  const changes = { ...compared, endpoints: pairEndpoints(compared.endpoints, comparison) };
  return {
    changes,
    comparison,
    missing: missingEndpoints(changes.endpoints, before.description, comparison),
  };
}

function rename(position: Position | undefined, side: ContractSide): void {
  if (position !== undefined) position.file = side.nameOf(position.file);
}

/** Endpoints under one address are the same, whatever the names of their parameters and the server's path are. */
function pairEndpoints(endpoints: Changes["endpoints"], { matched }: Comparison): Changes["endpoints"] {
  const heads = new Map(matched.map(({ base, head }) => [keyOf(base), keyOf(head)]));
  const added = new Map(endpoints.added.map((endpoint) => [keyOf(endpoint), endpoint]));
  const pairs = endpoints.removed.flatMap((before) => {
    const after = added.get(heads.get(keyOf(before)) ?? "");
    return after === undefined ? [] : [{ before, after }];
  });
  const paired = new Set(pairs.flatMap(({ before, after }) => [before, after]));
  return {
    added: endpoints.added.filter((endpoint) => !paired.has(endpoint)),
    removed: endpoints.removed.filter((endpoint) => !paired.has(endpoint)),
    changed: [...endpoints.changed, ...pairs],
  };
}

/** Returns the endpoints that were removed, and those whose server has another path. */
function missingEndpoints(
  { removed }: Changes["endpoints"],
  { endpoints }: Description,
  { verdicts }: Comparison,
): NormalizedEndpoint[] {
  const moved = verdicts
    .filter(({ id }) => id === "base-path-changed")
    .flatMap(({ operations }) => operations);
  const keys = new Set(moved.map(keyOf));
  return [...removed, ...endpoints.filter((endpoint) => keys.has(keyOf(endpoint)))];
}

function keyOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`;
}

/** Findings without positions, as a server has them. */
function normalized({ endpoints, findings }: Description): ScanContent {
  return {
    endpoints,
    findings: findings.map(({ code, severity, message, method, path }) => ({
      code,
      severity,
      message,
      method,
      path,
    })),
  };
}

/** The verdicts of a level that no exception covers. */
export function ofLevel({ verdicts }: Comparison, level: Verdict["level"]): Verdict[] {
  return verdicts.filter((verdict) => verdict.level === level && verdict.accepted === undefined);
}
