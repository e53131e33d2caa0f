import { randomBytes } from "node:crypto";
import type { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { descriptionOf, scanOf, SHOP, shopJourney, startAnswering } from "./shop.ts";
import { runToEnd, storeDocument } from "../journeys.ts";
import { waitForRun } from "../scans.ts";
import { type Stack, startStack } from "../stack.ts";

export const SHOP_FILE = descriptionOf(SHOP);
/** Has two paths that the shop has, too, and two that the inventory of the edge lacks. */
const EDGE_FILE = descriptionOf(["GET /items", "GET /items/{itemId}", "GET /status", "GET /broken"]);
/** The inventory of the edge: with the base path, another name of the parameter, and paths with a common beginning. */
export const EDGE = ["GET /v1/items", "GET /v1/items/{key}", "GET /v1/itemsets", "GET /v10/items"];
const SOURCES = { shop: "shop.openapi.json", edge: "edge.openapi.json" };

export const BUY = (title: string) =>
  shopJourney(title, {
    sources: SOURCES,
    steps: [
      { id: "list", source: "shop", operation: "GET /items", expects: 200 },
      { id: "look", source: "shop", operation: "GET /stores" },
      { id: "order", source: "shop", operation: "POST /orders", expects: 200 },
      { id: "read", source: "shop", operation: "GET /orders/{ordersId}", expects: 200 },
      { id: "again", source: "edge", operation: "GET /items", expects: 200 },
      { id: "one", source: "edge", operation: "GET /items/{itemId}", expects: 200 },
      { id: "alive", source: "edge", operation: "GET /status", expects: 200 },
    ],
    criteria: {
      "AC-1": ["must", "list#ok"],
      "AC-2": ["should", "order#ok", "read#ok"],
      "AC-3": ["could"],
    },
  });

export const BREAK = shopJourney("Break", {
  sources: SOURCES,
  steps: [
    { id: "break", source: "edge", operation: "GET /broken", expects: 200 },
    { id: "after", source: "shop", operation: "GET /taxes", expects: 200 },
  ],
  criteria: { "AC-4": ["must", "break#ok"], "AC-5": ["must", "after#ok"] },
});

export const REFUND = shopJourney("Refund", {
  sources: { shop: SOURCES.shop },
  steps: [
    { id: "refund", source: "shop", operation: "POST /refunds", expects: 200 },
    { id: "check", source: "shop", operation: "GET /refunds/{refundsId}", expects: 200 },
  ],
  criteria: { "AC-6": ["must", "refund#ok"], "AC-7": ["must", "check#ok"] },
});

/** A variant that drops the step which proves AC-7. */
const PARTIAL = JSON.stringify({
  overlay: "1.1.0",
  info: { title: "Partial", version: "1.0.0", "x-overlay": { id: "partial", extendsVersion: "^1.0.0" } },
  extends: "refund.journey.json",
  actions: [
    { target: "$.workflows[?@.workflowId=='main'].steps[?@.stepId=='check']", remove: true },
    {
      target: "$.workflows[?@.workflowId=='main']['x-journey'].acceptanceCriteria[?@.id=='AC-7'].provenBy",
      remove: true,
    },
  ],
});

/** Two scanned services, their descriptions, and journeys of them. */
export interface CoverageStack extends AsyncDisposable {
  stack: Stack;
  shopId: string;
  edgeId: string;
  /** Ids of documents by their paths. */
  ids: ReadonlyMap<string, string>;
  scan(payload: ScanIngestionPayload, headers?: Record<string, string>): Promise<ScanIngestionResult>;
  /** Stores a document without errors. */
  store(path: string, text: string, baseVersion?: number | null): Promise<void>;
  /** Runs a journey to its end. @returns the run's id */
  run(path: string): Promise<string>;
  coverage(queryString?: string): Promise<JourneyCoverage>;
}

export async function startCoverageStack(): Promise<CoverageStack> {
  const target = await startAnswering();
  const JOURNEY_KEYS = `k1:${randomBytes(32).toString("base64")}`;
  const stack = await startStack({
    apiEnv: { JOURNEY_KEYS },
    workerEnv: {
      JOURNEY_KEYS,
      WORKER_ROLES: "scans,journeys",
      JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}`,
    },
  });
  const ids = new Map<string, string>();
  const scan: CoverageStack["scan"] = async (payload, headers = {}) => {
    const { body } = await stack.http.post<ScanIngestionResult>("/api/scans/ingest", payload, { headers });
    await waitForRun(stack, body.scanRunId);
    return body;
  };
  const store: CoverageStack["store"] = async (path, text, baseVersion = null) => {
    const document = await storeDocument(stack, { path, text, baseVersion });
    if (document.errorCount > 0) throw new Error(JSON.stringify(document.problems));
    ids.set(path, document.id);
  };
  const { serviceId: shopId } = await scan(scanOf("shop", SHOP, SHOP_FILE));
  const { serviceId: edgeId } = await scan(scanOf("edge", EDGE));
  await store("shop.openapi.json", SHOP_FILE);
  await store("edge.openapi.json", EDGE_FILE);
  await stack.http.request("PUT", `/api/journeys/${ids.get("edge.openapi.json")}/binding`, {
    body: { serviceId: edgeId, pathPrefix: "/v1" },
  });
  await store("buy.journey.json", BUY("Buy"));
  await store("break.journey.json", BREAK);
  await store("refund.journey.json", REFUND);
  await store("partial.overlay.json", PARTIAL);
  const { body: environment } = await stack.http.post<{ id: string }>("/api/environments", {
    name: "test",
    servers: { shop: target.url, edge: `${target.url}/v1` },
  });
  return {
    stack,
    shopId,
    edgeId,
    ids,
    scan,
    store,
    run: (path) => runToEnd(stack, { path, environmentId: environment.id }),
    async coverage(queryString = "") {
      const answer = await stack.http.get<JourneyCoverage>(`/api/journey-coverage?${queryString}`);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body;
    },
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}
