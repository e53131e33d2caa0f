// A pull request of the bookshop that breaks clients, as its pipeline sends it.
import { readFileSync } from "node:fs";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { sourceHeadersOf } from "@waymark/shared/scans/source/headers.ts";
import {
  type DescribedService,
  NEW_FINDINGS,
  scanTagged,
  waitUntilCompared,
} from "@waymark/test-support/scans/bookshop.ts";
import { type Stack, startWorker } from "@waymark/test-support/stack.ts";
import { withClient } from "@waymark/test-support/template-database.ts";
import { parse } from "yaml";
import { NOW } from "./demo-dates.ts";

const SOURCE = {
  branch: "require-a-limit",
  baseBranch: "main",
  commit: "8587dbd0c0ffee8587dbd0c0ffee8587dbd0c0ff",
  pullRequest: "812",
  pullRequestUrl: "https://github.com/bookshop/api/pull/812",
  repository: "https://github.com/bookshop/api",
  author: "Mira Žák",
  url: "https://ci.example/bookshop/builds/812",
};

const EXAMPLE = "../../../examples/bookshop.openapi.yaml";

const GATES = [
  {
    gate: "--fail-on breaking",
    passed: false,
    causes: ["DELETE /books/{isbn} was removed: every call to it fails."],
    causeCount: 5,
  },
  { gate: "--fail-on-removed", passed: false, causes: ["DELETE /books/{isbn}"], causeCount: 1 },
  { gate: "--fail-on high", passed: true, causes: [], causeCount: 0 },
];

/** Returns the run of the pull request, two hours before NOW. */
export async function createPullRequest(stack: Stack): Promise<ScanIngestionResult["scanRunId"]> {
  const { http } = stack;
  const description = parse(readFileSync(new URL(EXAMPLE, import.meta.url), "utf8")) as Bookshop;
  changeDescription(description);
  const worker = await startWorker(stack);
  const { scanRunId } = await scanTagged(stack, {
    serviceName: "bookshop",
    description,
    findings: NEW_FINDINGS,
    headers: { ...sourceHeadersOf(SOURCE), "waymark-promote": "false" },
  });
  await waitUntilCompared(stack, scanRunId);
  await worker.stop();
  await http.request("PUT", `/api/scan-runs/${scanRunId}/gates`, { body: { gates: GATES } });
  await withClient(stack.databaseUrl, async (client) => {
    await client.query(
      `UPDATE scan_runs
       SET created_at = $1::timestamptz - interval '2 hours', completed_at = $1::timestamptz - interval '2 hours',
           ordered_at = $1::timestamptz - interval '2 hours', gates = jsonb_set(gates, '{judgedAt}', to_jsonb($1::text))
       WHERE id = $2`,
      [NOW, scanRunId],
    );
    await client.query("UPDATE scan_comparisons SET compared_at = $1 WHERE scan_run_id = $2", [
      NOW,
      scanRunId,
    ]);
  });
  return scanRunId;
}

/** The parts of `examples/bookshop.openapi.yaml` that the pull request changes. */
interface Bookshop extends DescribedService {
  components: { schemas: { Book: { required: string[]; properties: Record<string, object> } } };
}

function changeDescription({ paths, components }: Bookshop): void {
  const limit = { name: "limit", in: "query", required: true, schema: { type: "integer", maximum: 100 } };
  const basket = { $ref: "#/components/parameters/BasketId" };
  const responses = { 202: { description: "The order is on its way" } };
  Object.assign(paths["/books"]?.["get"] ?? {}, { parameters: [limit] });
  delete paths["/books/{isbn}"]?.["delete"];
  Object.assign(paths["/baskets/{basketId}"]?.["get"] ?? {}, { summary: "A basket with its items" });
  paths["/baskets/{basketId}/orders"] = {
    post: {
      operationId: "orderBasket",
      tags: ["baskets"],
      summary: "Order what is in a basket",
      parameters: [basket],
      responses,
    },
  };
  components.schemas.Book.required.push("author");
  Object.assign(components.schemas.Book.properties, { price: { type: ["number", "null"], minimum: 0 } });
}
