import { setTimeout as sleep } from "node:timers/promises";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { descriptionOf, scanned } from "@waymark/test-support/descriptions.ts";
import { type Check, mustBe } from "../check.ts";
import type { Fleet } from "../fleet.ts";

const WAIT_MS = 60_000;

export const comparisons: Check = {
  title: "What a scan breaks",
  what: "Two scans of a service are sent with their descriptions, which the api reads in a process of its own; of the second, each operation needs one more parameter. A worker must compare them, and find a break for each operation.",
  async run(fleet) {
    const [first, second] = [await describe(fleet, []), await describe(fleet, ["page"])];
    const started = performance.now();
    const { comparison } = await compared(fleet, second.scanRunId);
    const tookMs = Math.round(performance.now() - started);
    mustBe("the comparison", comparison.status, "compared");
    mustBe("the run before", comparison.against, first.scanRunId);
    mustBe("changes that break clients", comparison.counts?.breaking, second.endpoints.length);
    return {
      "operations of each description": second.endpoints.length,
      "changes that break clients": comparison.counts?.breaking ?? 0,
      "from the description to the verdicts (ms)": tookMs,
    };
  },
};

/** Scans a service, and stores the description with these required parameters. */
async function describe(fleet: Fleet, required: readonly string[]) {
  const scan = await scanned(fleet, { serviceName: "compared", seed: "compared", endpoints: 20 });
  const description = descriptionOf(scan.endpoints);
  const parameters = required.map((name) => ({ name, in: "query", required: true, schema: {} }));
  for (const item of Object.values(description.paths))
    for (const operation of Object.values(item)) Object.assign(operation, { parameters });
  const { status } = await fleet.http.request("PUT", scan.path, { body: description });
  mustBe("the status of a new description", status, 201);
  return scan;
}

/** Returns the changes of a run when they are compared, or after a minute. */
async function compared(fleet: Fleet, scanRunId: string): Promise<ScanChanges> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const { body } = await fleet.http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`);
    if (body.comparison.status !== "pending" || Date.now() > end) return body;
    await sleep(100);
  }
}
