import { breaksGeneratedClients, separateRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import type { Verdict, VerdictLevel } from "@waymark/shared/scans/comparisons/schema.ts";
import type { NormalizedEndpoint, ScanChanges } from "@waymark/shared/scans/schema.ts";
import { endpointShape } from "../../lib/endpoint/endpoint-address.ts";
import { groupVerdicts } from "../../lib/verdicts/group-verdicts.ts";

export type Operation = Verdict["operations"][number];

/** How a scan changed what it says about an endpoint itself: that it exists, its operationId, summary and tags. */
export type EndpointChange =
  | { kind: "added"; after: NormalizedEndpoint }
  | { kind: "removed"; before: NormalizedEndpoint }
  | { kind: "changed" | "renamed"; before: NormalizedEndpoint; after: NormalizedEndpoint };

/** `documentation`: no part of a request or a response differs. */
export type ChangeLevel = VerdictLevel | "documentation";

/** The levels, the most severe first. */
export const CHANGE_LEVELS = ["breaking", "maybe", "safe", "documentation"] as const satisfies ChangeLevel[];

/** Changes that belong together: those of one operation, or of a part that several operations use. */
export interface ChangeCard {
  key: string;
  /** The most severe level of its changes. */
  level: ChangeLevel;
  /** Empty for changes of the whole description. */
  operations: readonly Operation[];
  /** The number of operations, also of those that are not named. */
  operationCount: number;
  verdicts: readonly Verdict[];
  endpoint: EndpointChange | undefined;
}

/**
 * Returns the cards of all changes, the most severe first. A change that affects several operations is in one card; an endpoint that
 * is new, gone or described in other words is in the card of its operation.
 */
export function changeCards(
  changes: Pick<ScanChanges, "endpoints" | "comparison" | "verdicts">,
): ChangeCard[] {
  const isCompared = changes.comparison.status === "compared";
  const left = new Map(
    endpointChanges(changes.endpoints).map((one) => [endpointShape(endpointOf(one)), one]),
  );
  const cards = groupVerdicts(changes.verdicts).map((group): ChangeCard => {
    const [only] = group.operationCount === 1 ? group.operations : [];
    const shape = only?.kind === "operation" ? endpointShape(only) : "";
    const endpoint = left.get(shape);
    left.delete(shape);
    const levels = group.verdicts.map(({ level }) => level);
    const level = CHANGE_LEVELS.find((one) => levels.some((each) => each === one)) ?? "safe";
    return { ...group, level, endpoint };
  });
  for (const endpoint of left.values()) {
    const { method, path } = endpointOf(endpoint);
    cards.push({
      key: `${endpoint.kind} ${method} ${path}`,
      level: levelOf(endpoint, isCompared),
      operations: [{ method, path, kind: "operation" }],
      operationCount: 1,
      verdicts: [],
      endpoint,
    });
  }
  return cards.toSorted((a, b) => CHANGE_LEVELS.indexOf(a.level) - CHANGE_LEVELS.indexOf(b.level));
}

/** Returns the endpoint that a change leads to, or the one that is gone. */
export function endpointOf(change: EndpointChange): NormalizedEndpoint {
  return change.kind === "removed" ? change.before : change.after;
}

/** The number of changes of each level. A card without verdicts is one change. */
export function countLevels(cards: readonly ChangeCard[]): Record<ChangeLevel, number> {
  const counts = { breaking: 0, maybe: 0, safe: 0, documentation: 0 };
  for (const { verdicts, level } of cards) {
    if (verdicts.length === 0) counts[level] += 1;
    for (const verdict of verdicts) counts[verdict.level] += 1;
  }
  return counts;
}

/**
 * The number of all changes: of the description, of endpoints, and of findings. While there are further verdicts, endpoints without
 * one are not counted, because they may get one.
 */
export function countAllChanges(changes: ScanChanges): number {
  const { comparison, findings, nextCursor } = changes;
  const { breaking = 0, maybe = 0, safe = 0 } = comparison.counts ?? {};
  const others = changeCards(changes).filter(({ verdicts }) => verdicts.length === 0).length;
  const ofFindings = Object.values(findings).reduce((sum, list) => sum + list.length, 0);
  return breaking + maybe + safe + (nextCursor === undefined ? others : 0) + ofFindings;
}

function endpointChanges(endpoints: ScanChanges["endpoints"]): EndpointChange[] {
  const { removed, changed, parametersRenamed, added } = separateRenamedParameters(endpoints);
  return [
    ...removed.map((before) => ({ kind: "removed" as const, before })),
    ...changed.map((pair) => ({ kind: "changed" as const, ...pair })),
    ...parametersRenamed.map((pair) => ({ kind: "renamed" as const, ...pair })),
    ...added.map((after) => ({ kind: "added" as const, after })),
  ];
}

/** The level of a change that has no verdict. Removed endpoints break clients unless a verdict knows better. */
function levelOf(change: EndpointChange, isCompared: boolean): ChangeLevel {
  if (change.kind === "removed") return "breaking";
  if (change.kind === "added") return "safe";
  return !isCompared && breaksGeneratedClients(change) ? "maybe" : "documentation";
}
