import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import { createKeys } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Longer than what is kept of a word. */
const LONG = "long".repeat(30);
const OPERATIONS = {
  payments: ["GET /v1/payments listPayments", "POST /v1/payments/{paymentId}/refunds refundPayment"],
  orders: ["GET /v1/orders/{orderId}/payments", "DELETE /v1/orders/{orderId} removeOrder"],
  sizes: ["GET /größen/{id}.xml get_Größe2Ärger", `PUT /${LONG}/a`],
};

let stack: Stack;
let strangersKey: string;
const runs: Record<string, string> = {};
beforeAll(async () => {
  stack = await startStack();
  for (const [name, operations] of Object.entries(OPERATIONS)) runs[name] = await scan(name, operations);
  strangersKey = (await createHostedOrganization(stack.databaseUrl, "Strangers")).apiKey;
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scan(serviceName: string, operations: readonly string[]): Promise<string> {
  const endpoints = operations.map((operation) => {
    const [method = "", path = "", operationId = null] = operation.split(" ");
    return { method: method as "GET", path, operationId, tags: [serviceName], summary: null };
  });
  const { body } = await ingest(stack, { ...scanPayload({ serviceName, findings: 0 }), endpoints });
  await waitForRun(stack, body.scanRunId);
  return body.scanRunId;
}

async function search(q: string, options: { key?: string; limit?: number } = {}) {
  const { limit = 50, ...request } = options;
  const path = `/api/endpoints?${String(new URLSearchParams({ q, limit: String(limit) }))}`;
  const { body } = await stack.http.get<{ endpoints: FoundEndpoint[]; nextCursor?: string }>(path, request);
  return body;
}

const found = async (q: string) =>
  (await search(q)).endpoints.map(({ serviceName, method, path }) => `${serviceName}: ${method} ${path}`);

/** As before the worker's next look. */
async function forgetIndex(): Promise<void> {
  await query(stack, "DELETE FROM indexed_snapshots");
  await query(stack, "DELETE FROM chunk_words");
}

async function index(): Promise<void> {
  await query(
    stack,
    `SELECT service_count FROM (SELECT set_config('waymark.organization_id', $1::text, true)::uuid AS id) o,
            LATERAL index_endpoint_words(o.id, '00000000-0000-0000-0000-000000000000', 1000)`,
    [stack.organizationId],
  );
}

const SEARCHES: [string, string[]][] = [
  [
    "payments",
    [
      "orders: GET /v1/orders/{orderId}/payments",
      "payments: GET /v1/payments",
      "payments: POST /v1/payments/{paymentId}/refunds",
    ],
  ],
  ["PAY get", ["orders: GET /v1/orders/{orderId}/payments", "payments: GET /v1/payments"]],
  ["/v1/payments/{paymentId}", ["payments: POST /v1/payments/{paymentId}/refunds"]],
  ["refundpay", ["payments: POST /v1/payments/{paymentId}/refunds"]],
  // A word of an operationId in camel case.
  ["remove order", ["orders: DELETE /v1/orders/{orderId}"]],
  ["ayments", []],
  ["GRÖSSE größe", []],
  ["GRÖẞEN ÄRGER", ["sizes: GET /größen/{id}.xml"]],
  ["“größen” „xml‟", ["sizes: GET /größen/{id}.xml"]],
  ["GRO\u0308ßen", ["sizes: GET /größen/{id}.xml"]],
  // One endpoint has each word, but none has both.
  ["listpayments refundpayment", []],
  ["get delete", []],
  ["Größe2 XML", ["sizes: GET /größen/{id}.xml"]],
  [`${LONG}andmore`, [`sizes: PUT /${LONG}/a`]],
  ["ong", []],
  ["' & \\ | :* !", []],
];

describe("the search over all endpoints", () => {
  it.each(SEARCHES)("finds %s by the beginnings of words, in the index or not", async (text, expected) => {
    await forgetIndex();
    expect(await found(text)).toEqual(expected);
    await index();
    expect(await found(text)).toEqual(expected);
  });

  it("finds the same if more chunks have the words than it lists", async () => {
    await index();
    for (const [text, expected] of SEARCHES) {
      const rows = await query<{ found: string }>(
        stack,
        `SELECT f.service_name || ': ' || f.method || ' ' || f.path AS found
         FROM (SELECT set_config('waymark.organization_id', $1::text, true) AS id) o,
              LATERAL search_endpoints(o.id::uuid, $2, 50, NULL, 0) f`,
        [stack.organizationId, text],
      );
      expect(rows.map((row) => row.found)).toEqual(expected);
    }
  });

  it("reads the index, and what is not in it yet", async () => {
    await index();
    await query(stack, "UPDATE chunk_words SET words = ''");
    expect(await found("payments")).toEqual([]);
    await scan("later", ["GET /later/payments"]);
    expect(await found("payments")).toEqual(["later: GET /later/payments"]);
    await forgetIndex();
    expect(await found("payments")).toHaveLength(4);
  });

  it("returns endpoints of current runs only, with their service and run", async () => {
    await scan("replaced", ["GET /before-it"]);
    const scanRunId = await scan("replaced", ["GET /after-it readAfter"]);
    expect(await found("before")).toEqual([]);
    const { endpoints, nextCursor } = await search("readAfter");
    expect(nextCursor).toBeUndefined();
    expect(endpoints).toEqual([
      {
        serviceId: endpoints[0]?.serviceId,
        serviceName: "replaced",
        scanRunId,
        method: "GET",
        path: "/after-it",
        operationId: "readAfter",
        tags: ["replaced"],
        summary: null,
        ownerTeam: null,
      },
    ]);
  });

  it("finds nothing of another organization", async () => {
    expect(await search("payments", { key: strangersKey })).toEqual({ endpoints: [] });
  });

  it.each(["", "q=", `q=${"x".repeat(201)}`, "q=a&limit=201", "q=a&cursor=b"])(
    "refuses ?%s",
    async (text) => {
      expect((await stack.http.get(`/api/endpoints?${text}`)).status).toBe(400);
    },
  );

  it("finds only endpoints of the services that a key can read", async () => {
    const named = (...serviceNames: string[]) => ({
      permission: "endpoints:read",
      resourceConstraints: { serviceNames },
    });
    const [all, orders, later, none] = await createKeys(stack, [
      { scopes: ["endpoints:read"] },
      { scopes: [named("orders")] },
      { scopes: [named("archive-*")] },
      { scopes: ["services:read"] },
    ]);
    const services = async (key: string | undefined, limit = 50) => {
      const { endpoints } = await search("payments", { key: key ?? "", limit });
      return [...new Set(endpoints.map(({ serviceName }) => serviceName))];
    };
    await forgetIndex();
    for (const isIndexed of [false, true]) {
      if (isIndexed) await index();
      expect(await services(all)).toEqual(expect.arrayContaining(["orders", "payments"]));
      expect(await services(orders)).toEqual(["orders"]);
      // Endpoints of other services don't count.
      expect(await search("payments", { key: orders ?? "", limit: 1 })).not.toHaveProperty("nextCursor");
      expect(await services(later)).toEqual([]);
    }
    expect((await stack.http.get("/api/endpoints?q=a", { key: none ?? "" })).status).toBe(403);
  });
});
