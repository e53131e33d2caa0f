import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { type Content, MARK } from "./payloads.ts";
import type { Random } from "./random.ts";

/** How many items of each kind one scan has that the one before had not, as the api counts changes. */
export interface ChangeCounts {
  added: number;
  removed: number;
  changed: number;
  newFindings: number;
  fixedFindings: number;
}

export const NO_CHANGE: Readonly<ChangeCounts> = {
  added: 0,
  removed: 0,
  changed: 0,
  newFindings: 0,
  fixedFindings: 0,
};

/** The part of its items that a commit changes. GitHub's description: 2 to 5 of 1,000 operations in small releases. */
const CHANGED_SHARE = 0.002;
/** One in this many of the changed operations is inserted or removed instead. */
const STRUCTURAL_EVERY = 8;

/**
 * The next description of a service: a few items, at least one, chosen at random among all, are different.
 * @param endpointsMax above this nothing is inserted, so that a scan at the limit stays valid
 */
export function evolve(
  content: Content,
  { revision, random, endpointsMax }: { revision: number; random: Random; endpointsMax: number },
): { content: Content; changes: ChangeCounts } {
  const endpoints = [...content.endpoints];
  const findings = [...content.findings];
  const changes: ChangeCounts = { ...NO_CHANGE };
  const structural: number[] = [];
  for (const index of chooseItems(endpoints.length + findings.length, random)) {
    const findingIndex = index - endpoints.length;
    if (findingIndex >= 0) {
      findings[findingIndex] = changeFinding(findings[findingIndex] ?? "", revision);
      changes.newFindings++;
      changes.fixedFindings++;
    } else if (random() < 1 / STRUCTURAL_EVERY && index < endpoints.length - 1) {
      // Not the last one: without it all of the content may be stored already, which is another kind of scan.
      structural.push(index);
    } else {
      endpoints[index] = changeEndpoint(endpoints[index] ?? "", revision, random);
      changes.changed++;
    }
  }
  // From the end, so that the indexes before stay what they are.
  for (const index of structural.toSorted((a, b) => b - a)) {
    const inserts = endpoints.length < endpointsMax;
    if (inserts) endpoints.splice(index, 0, insertedEndpoint(revision, index));
    else endpoints.splice(index, 1);
    changes[inserts ? "added" : "removed"]++;
  }
  return { content: { ...content, revision, endpoints, findings }, changes };
}

function chooseItems(items: number, random: Random): Set<number> {
  const count = Math.max(1, Math.round(items * CHANGED_SHARE));
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(Math.floor(random() * items));
  return chosen;
}

const withoutRevision = (text: string) => text.replace(/,? ?r[0-9]+$/, "");

function changeEndpoint(json: string, revision: number, random: Random): string {
  const endpoint = JSON.parse(json) as NormalizedEndpoint;
  const kind = Math.floor(random() * 3);
  if (kind === 0) endpoint.summary = `${withoutRevision(endpoint.summary ?? "")}, r${revision}`;
  else if (kind === 1) endpoint.operationId = `${withoutRevision(endpoint.operationId ?? "")}r${revision}`;
  else endpoint.tags = [...endpoint.tags.slice(0, 1), `r${revision}`];
  return JSON.stringify(endpoint);
}

function changeFinding(json: string, revision: number): string {
  const finding = JSON.parse(json) as NormalizedFinding;
  finding.message = `${withoutRevision(finding.message)}, r${revision}`;
  return JSON.stringify(finding);
}

function insertedEndpoint(revision: number, index: number): string {
  const endpoint: NormalizedEndpoint = {
    method: "POST",
    path: `/v1/${MARK}/inserted-in-${revision}/${index}`,
    operationId: `insertedIn${revision}At${index}`,
    tags: ["inserted"],
    summary: `Was inserted by description ${revision}`,
  };
  return JSON.stringify(endpoint);
}
