import { getScanRun, getScanRunChanges } from "@waymark/shared/scans/operations.ts";
import { Comparison, Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { ScanRun } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";
import { readPages } from "./read-pages.ts";

const ShownVerdict = Verdict.pick({ fingerprint: true, level: true, message: true, approval: true });
type ShownVerdict = z.infer<typeof ShownVerdict>;

const Changes = z.object({
  comparison: Comparison.pick({ status: true, reason: true }),
  verdicts: z.array(ShownVerdict),
  nextCursor: z.string().optional(),
});

/** Returns the service of a run. */
export async function getRunService(connection: ApiConnection, scanRunId: string) {
  const reading = {
    what: "reading the scan run",
    read: ScanRun.pick({ serviceId: true, serviceName: true }),
  };
  return call(connection, getScanRun, reading, { params: { scanRunId } });
}

/** Returns the changes of a run that break clients, or may, and that nobody has approved, as the server found them. */
export async function listOpenVerdicts(
  connection: ApiConnection,
  scanRunId: string,
): Promise<{ comparison: z.infer<typeof Changes>["comparison"] | undefined; verdicts: ShownVerdict[] }> {
  const reading = { what: "reading the changes", read: Changes };
  const verdicts: ShownVerdict[] = [];
  let comparison;
  for await (const page of readPages(connection, getScanRunChanges, reading, { params: { scanRunId } })) {
    ({ comparison } = page);
    verdicts.push(...page.verdicts.filter(({ level, approval }) => level !== "safe" && approval === null));
  }
  return { comparison, verdicts };
}
