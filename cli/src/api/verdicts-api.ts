import { getScanRun, getScanRunChanges } from "@waymark/shared/scans/operations.ts";
import {
  Comparison,
  Verdict,
  VERDICT_PAGE_MAX,
  VERDICTS_MAX,
} from "@waymark/shared/scans/comparisons/schema.ts";
import { ScanRun } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";

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
): Promise<Pick<z.infer<typeof Changes>, "comparison" | "verdicts">> {
  const reading = { what: "reading the changes", read: Changes };
  const verdicts: ShownVerdict[] = [];
  let cursor: string | undefined;
  for (let count = 0; ; count += VERDICT_PAGE_MAX) {
    const query = { limit: VERDICT_PAGE_MAX, cursor };
    const page = await call(connection, getScanRunChanges, reading, { params: { scanRunId }, query });
    verdicts.push(...page.verdicts.filter(({ level, approval }) => level !== "safe" && approval === null));
    cursor = page.nextCursor;
    if (cursor === undefined || count >= VERDICTS_MAX) return { comparison: page.comparison, verdicts };
  }
}
