import * as operations from "@waymark/shared/scans/finding-decisions/operations.ts";
import { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { listScanRunFindings } from "@waymark/shared/scans/operations.ts";
import { RunFinding } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { type ApiConnection, call, callWithoutResult } from "./api-client.ts";
import { collectItems, readPages } from "./read-pages.ts";

/** The fields of a decision that the command uses. */
const ShownDecision = FindingDecision.pick({
  id: true,
  kind: true,
  state: true,
  serviceId: true,
  serviceName: true,
  code: true,
  finding: true,
  maxSeverity: true,
  reason: true,
  until: true,
  findingCount: true,
  exceededCount: true,
});
export type ShownDecision = z.infer<typeof ShownDecision>;

const Page = z.object({ decisions: z.array(ShownDecision), nextCursor: z.string().optional() });

/** Returns the decisions for a service, and those for every service, also expired ones; without a service, all. */
export function readDecisions(
  connection: ApiConnection,
  serviceName: string | undefined,
): Promise<ShownDecision[]> {
  const reading = { what: "reading the decisions about findings", read: Page };
  const pages = readPages(connection, operations.listFindingDecisions, reading, {
    query: serviceName === undefined ? {} : { serviceName },
  });
  return collectItems(pages, ({ decisions }) => decisions);
}

const Findings = z.object({ findings: z.array(RunFinding), nextCursor: z.string().optional() });

/** Returns the findings of a run, with the decisions that cover them. */
export function listRunFindings(connection: ApiConnection, scanRunId: string): Promise<RunFinding[]> {
  const reading = { what: "reading the findings", read: Findings };
  const pages = readPages(connection, listScanRunFindings, reading, { params: { scanRunId } });
  return collectItems(pages, ({ findings }) => findings);
}

export type DecisionToCreate = z.input<(typeof operations.createFindingDecision)["body"]>;

/** Decides about a finding or a rule. */
export async function createDecision(
  connection: ApiConnection,
  decision: DecisionToCreate,
): Promise<ShownDecision> {
  const reading = { what: "deciding", read: ShownDecision };
  return call(connection, operations.createFindingDecision, reading, { body: decision });
}

/** Revokes a decision. */
export async function deleteDecision(connection: ApiConnection, decisionId: string): Promise<void> {
  const params = { decisionId };
  await callWithoutResult(connection, operations.deleteFindingDecision, { what: "revoking" }, { params });
}
