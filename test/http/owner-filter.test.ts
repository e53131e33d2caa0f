import type { EndpointSearchResult } from "@waymark/shared/endpoint-search/schema.ts";
import type { CurrentFindingPage, FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { ServicePage } from "@waymark/shared/services/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { startStack, type Stack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";

let stack: Stack;
let myKey: string;
beforeAll(async () => {
  stack = await startStack();
  const me = await storeUser(stack);
  myKey = me.rawKey;
  for (const [slug, names] of [
    ["payments", ["payments", "refunds"]],
    ["orders", ["orders"]],
  ] as const) {
    const teamId = await storeTeam(stack, slug);
    if (slug === "payments") await storeTeamMember(stack, { teamId, principalId: me.id });
    for (const serviceName of names) await scanned(serviceName, slug);
  }
  await scanned("unowned", null);
}, 60_000);
afterAll(() => stack[Symbol.asyncDispose]());

async function scanned(serviceName: string, ownerTeam: string | null): Promise<void> {
  const { body } = await ingest(stack, scanPayload({ serviceName }));
  await waitForRun(stack, body.scanRunId);
  if (ownerTeam !== null)
    await stack.http.request("PATCH", `/api/services/${body.serviceId}`, { body: { ownerTeam } });
}

const read = async <Body>(path: string, key = myKey) => {
  const { status, body } = await stack.http.get<Body>(path, { key });
  expect({ path, status }).toEqual({ path, status: 200 });
  return body;
};

/** The names of services in every list, by the list. */
async function listed(query: string, key = myKey) {
  const [services, overview, findings, endpoints] = [
    await read<z.infer<typeof ServicePage>>(`/api/services?${query}`, key),
    await read<Overview>(`/api/overview?${query}`, key),
    await read<z.infer<typeof CurrentFindingPage>>(`/api/findings?limit=200&${query}`, key),
    await read<z.infer<typeof EndpointSearchResult>>(`/api/endpoints?limit=200&q=g&${query}`, key),
  ];
  const names = (rows: readonly { serviceName: string }[]) =>
    [...new Set(rows.map(({ serviceName }) => serviceName))].toSorted();
  const owned = services.services.map(({ name }) => name).toSorted();
  const lists = [names(overview.newServices), names(findings.findings), names(endpoints.endpoints)];
  expect({ query, lists }).toEqual({ query, lists: lists.map(() => owned) });
  expect({ query, count: overview.serviceCount }).toEqual({ query, count: owned.length });
  const summary = await read<FindingSummary>(`/api/findings/summary?${query}`, key);
  expect({ query, summary: names(summary.services) }).toEqual({ query, summary: owned });
  return owned;
}

describe("the filter owner", () => {
  it("is the same in services, the overview, findings and endpoints", async () => {
    expect(await listed("")).toEqual(["orders", "payments", "refunds", "unowned"]);
    expect(await listed("owner=payments")).toEqual(["payments", "refunds"]);
    expect(await listed("owner=me")).toEqual(["payments", "refunds"]);
    expect(await listed("owner=orders")).toEqual(["orders"]);
    expect(await listed("owner=none")).toEqual(["unowned"]);
    expect(await listed("owner=nobody")).toEqual([]);
  });

  it("has no services of one's own for a key without a user", async () => {
    expect(await listed("owner=me", await createKey(stack, ["*"]))).toEqual([]);
  });

  it("shows to a key that is limited to services only these, whoever owns them", async () => {
    const constraint = { resourceConstraints: { serviceNames: ["refunds", "unowned"] } };
    const key = await createKey(
      stack,
      ["services:read", "endpoints:read"].map((permission) => ({ permission, ...constraint })),
    );
    expect(await listed("", key)).toEqual(["refunds", "unowned"]);
    expect(await listed("owner=payments", key)).toEqual(["refunds"]);
    expect(await listed("owner=orders", key)).toEqual([]);
    expect(await listed("owner=none", key)).toEqual(["unowned"]);
  });

  it("is refused if it can be no slug", async () => {
    for (const owner of ["", "Payments", "a,b", "%27", "a".repeat(64)])
      expect((await stack.http.get(`/api/services?owner=${owner}`)).status).toBe(400);
  });
});

it("each row of these lists has its owner", async () => {
  const owner = expect.objectContaining({ slug: "payments" });
  const { services } = await read<z.infer<typeof ServicePage>>("/api/services");
  const owners = services.map(({ name, ownerTeam }) => [name, ownerTeam?.slug ?? null]);
  expect(Object.fromEntries(owners)).toEqual({
    orders: "orders",
    payments: "payments",
    refunds: "payments",
    unowned: null,
  });
  const { findings } = await read<z.infer<typeof CurrentFindingPage>>("/api/findings?limit=200");
  const { endpoints } = await read<z.infer<typeof EndpointSearchResult>>("/api/endpoints?limit=200&q=g");
  const { newServices } = await read<Overview>("/api/overview");
  for (const rows of [findings, endpoints, newServices]) {
    expect(rows.find(({ serviceName }) => serviceName === "refunds")?.ownerTeam).toEqual(owner);
    expect(rows.find(({ serviceName }) => serviceName === "unowned")?.ownerTeam).toBeNull();
  }
});
