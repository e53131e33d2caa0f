import { compareScans, type ScanContent } from "@waymark/shared/scans/changes.ts";
import type { NormalizedEndpoint } from "@waymark/shared/scans/schema.ts";
import type { Changes } from "../../report/describe-changes.ts";
import { type JudgeOptions, judgeContracts } from "../contract/judge-contracts.ts";
import type { JudgedComparison } from "../contract/judged-comparison.ts";
import { missingEndpoints, pairEndpoints } from "../contract/pair-endpoints.ts";
import type { Description } from "../scan/read-description.ts";
import type { DiffSide } from "./read-contract.ts";
import type { Remote } from "./remote-readers.ts";

/** The differences of two descriptions. */
export interface SideChanges {
  changes: Changes;
  comparison: JudgedComparison;
  /** The endpoints that calls no longer reach. */
  missing: NormalizedEndpoint[];
}

/** Compares the scans of both sides, and the requests and responses that each allows. */
export async function compareSides(
  before: DiffSide,
  after: DiffSide,
  { approve, ...options }: JudgeOptions & { approve: Remote["approve"] },
): Promise<SideChanges & { notes: string[] }> {
  const judged = await judgeContracts(before.contract, after.contract, options);
  const { comparison, notes } = await approve(judged);
  const compared = compareScans(normalized(before.description), normalized(after.description));
  const endpoints = pairEndpoints(compared.endpoints, comparison);
  return {
    changes: { ...compared, endpoints },
    comparison,
    missing: missingEndpoints(endpoints.removed, before.description.endpoints, comparison),
    notes,
  };
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
