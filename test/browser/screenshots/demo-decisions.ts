// A decision about findings, and the approval of a change of the bookshop's pull request.
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import type { Stack } from "@waymark/test-support/stack.ts";
import { withClient } from "@waymark/test-support/template-database.ts";
import { NOW } from "./demo-dates.ts";

const UNTIL = "2027-01-31";

/** Decides about a rule in the service of a run, approves the first change of a run and comments on it, an hour before NOW. */
export async function createDemoDecisions({ http, databaseUrl }: Stack, scanRunId: string): Promise<void> {
  const { body: run } = await http.get<{ serviceId: string }>(`/api/scan-runs/${scanRunId}`);
  const { serviceId } = run;
  const { body } = await http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`);
  const fingerprints = body.verdicts.slice(0, 1).map(({ fingerprint }) => fingerprint);
  const approval = {
    fingerprints,
    scanRunId,
    until: UNTIL,
    reason: "The only client was switched off in October.",
  };
  await http.post(`/api/services/${serviceId}/change-approvals`, approval);
  await http.post("/api/finding-decisions", {
    serviceId,
    kind: "accepted_risk",
    code: "info-license",
    reason: "An internal API: nobody outside licenses it.",
    until: UNTIL,
  });
  await http.post(`/api/scan-runs/${scanRunId}/comments`, {
    text: "The dashboard still sends no limit. I'll ask its team before we merge.",
  });
  await withClient(databaseUrl, async (client) => {
    for (const table of ["finding_decisions", "change_approvals", "scan_run_comments"])
      await client.query(`UPDATE ${table} SET created_at = $1::timestamptz - interval '1 hour'`, [NOW]);
  });
}
