import * as operations from "@waymark/shared/scans/finding-decisions/operations.ts";
import { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { listScanRunFindings } from "@waymark/shared/scans/operations.ts";
import { RunFinding } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";
import { readPages } from "./read-pages.ts";

/** The fields of a decision that the command uses. */
const ShownDecision = FindingDecision.pick({
  id: true,
  kind: true,
  state: true,
  serviceId: true,
  code: true,
  finding: true,
  reason: true,
  until: true,
  findingCount: true,
});
export type ShownDecision = z.infer<typeof ShownDecision>;

const Page = z.object({ decisions: z.array(ShownDecision), nextCursor: z.string().optional() });

/** Returns the decisions for a service, and those for every service, also expired ones. */
export async function readDecisions(
  connection: ApiConnection,
  serviceName: string,
): Promise<ShownDecision[]> {
  const decisions: ShownDecision[] = [];
  const reading = { what: "reading the decisions about findings", read: Page };
  const parts = { query: { serviceName } };
  for await (const page of readPages(connection, operations.listFindingDecisions, reading, parts))
    decisions.push(...page.decisions);
  return decisions;
}

const Findings = z.object({ findings: z.array(RunFinding), nextCursor: z.string().optional() });

/** Returns the findings of a run, with the decisions that cover them. */
export async function listRunFindings(connection: ApiConnection, scanRunId: string): Promise<RunFinding[]> {
  const findings: RunFinding[] = [];
  const reading = { what: "reading the findings", read: Findings };
  for await (const page of readPages(connection, listScanRunFindings, reading, { params: { scanRunId } }))
    findings.push(...page.findings);
  return findings;
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
