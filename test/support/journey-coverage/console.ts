import { randomBytes } from "node:crypto";
import { startConsole, type TestConsole } from "../console.ts";
import { descriptionOf, scanOf, SHOP, shopJourney, startAnswering } from "./shop.ts";
import { runToEnd, storeDocument } from "../journeys.ts";

const FILE = descriptionOf([...SHOP, "GET /status", "GET /items/broken"]);
const sources = { shop: "shop.openapi.json" };

const BUY = shopJourney("Buy", {
  sources,
  steps: [
    { id: "list", source: "shop", operation: "GET /items", expects: 200 },
    { id: "look", source: "shop", operation: "GET /stores" },
    { id: "order", source: "shop", operation: "POST /orders", expects: 200 },
    { id: "alive", source: "shop", operation: "GET /status", expects: 200 },
  ],
  criteria: { "AC-1": ["must", "list#ok"], "AC-2": ["should", "order#ok"], "AC-3": ["could"] },
});
const BREAK = shopJourney("Break", {
  sources,
  steps: [{ id: "break", source: "shop", operation: "GET /items/broken", expects: 200 }],
  criteria: { "AC-4": ["must", "break#ok"] },
});
const REFUND = shopJourney("Refund", {
  sources,
  steps: [{ id: "refund", source: "shop", operation: "POST /refunds", expects: 200 }],
  criteria: { "AC-5": ["must", "refund#ok"] },
});

export interface CoveredShop extends AsyncDisposable {
  ui: TestConsole;
  serviceId: string;
  environmentId: string;
}

/**
 * A console of a shop with 30 endpoints and three journeys: one that passed and calls what no scan has, one that failed, and one
 * that never ran.
 */
export async function startCoveredShop(): Promise<CoveredShop> {
  const target = await startAnswering();
  const JOURNEY_KEYS = `k1:${randomBytes(32).toString("base64")}`;
  const ui = await startConsole({
    apiEnv: { JOURNEY_KEYS },
    workerEnv: {
      JOURNEY_KEYS,
      WORKER_ROLES: "scans,journeys",
      JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}`,
    },
  });
  const { serviceId } = await ui.scan(scanOf("shop", SHOP, FILE));
  await storeDocument(ui.stack, { path: sources.shop, text: FILE });
  await storeDocument(ui.stack, { path: "buy.journey.json", text: BUY });
  await storeDocument(ui.stack, { path: "break.journey.json", text: BREAK });
  await storeDocument(ui.stack, { path: "refund.journey.json", text: REFUND });
  const servers = { shop: target.url };
  const created = await ui.stack.http.post<{ id: string }>("/api/environments", { name: "staging", servers });
  const environmentId = created.body.id;
  await runToEnd(ui.stack, { path: "buy.journey.json", environmentId });
  await runToEnd(ui.stack, { path: "break.journey.json", environmentId });
  return {
    ui,
    serviceId,
    environmentId,
    async [Symbol.asyncDispose]() {
      await ui[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}
