import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";
import { recordFigures } from "./support/figures.ts";
import { scaled } from "@waymark/test-support/scale.ts";

const REQUESTS = 50;
const ROUNDS = scaled({ short: 5, long: 100 });

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

it(
  `${REQUESTS} identical requests at once, at two apis, make one run, new body or known`,
  { timeout: 300_000 },
  async () => {
    const clients = [stack.http, stack.other] as const;
    const totals: Record<number, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      // Every second round uses a known body, which takes another path.
      const body = scanPayload({ serviceName: `round ${Math.floor(round / 2)}`, seed: "same" });
      const headers = { "idempotency-key": `round-${round}` };
      const send = (n: number) =>
        (clients[n % 2] ?? clients[0]).post<ScanIngestionResult>("/api/scans/ingest", body, {
          key: stack.apiKey,
          headers,
        });
      const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, n) => send(n)));
      for (const { status } of answers) totals[status] = (totals[status] ?? 0) + 1;
      const runs = new Set(answers.filter((one) => one.status === 201).map((one) => one.body.scanRunId));
      expect(runs.size).toBe(1);
      const [scanRunId = ""] = runs;
      // Clients that got 409 retry, at either api, and get it too.
      for (const again of [await send(0), await send(1)]) {
        expect(again).toMatchObject({ status: 201, body: { scanRunId } });
      }
      await waitForRun(stack, scanRunId);
    }
    recordFigures("Idempotency-Key, two apis", {
      rounds: ROUNDS,
      "identical requests at once": REQUESTS,
      ...Object.fromEntries(Object.entries(totals).map(([status, count]) => [`answers ${status}`, count])),
    });
    for (const status of Object.keys(totals)) expect(["201", "409"]).toContain(status);
    const [stored] = await query<{ total: number }>(stack, "SELECT count(*)::int AS total FROM scan_runs");
    expect(stored?.total).toBe(ROUNDS);
  },
);
