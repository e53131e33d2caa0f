import { randomUUID } from "node:crypto";
import type { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { scanOf, SHOP } from "@waymark/test-support/journey-coverage/shop.ts";
import {
  type CoverageStack,
  EDGE,
  SHOP_FILE,
  startCoverageStack,
} from "@waymark/test-support/journey-coverage/stack.ts";

let world: CoverageStack;
beforeAll(async () => {
  world = await startCoverageStack();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("a scan", () => {
  const broken = async (scanRunId: string) =>
    (await world.stack.http.get<BrokenJourneys>(`/api/scan-runs/${scanRunId}/broken-journeys`)).body;

  it("that removes what journeys call names them; a renamed parameter breaks nothing", async () => {
    const left = SHOP.filter((operation) => operation !== "POST /orders" && operation !== "GET /users").map(
      (operation) => operation.replace("{ordersId}", "{id}"),
    );
    const { scanRunId } = await world.scan(scanOf("shop", left, "another file"), {
      "waymark-promote": "false",
    });
    const { against, journeys } = await broken(scanRunId);
    expect(against).toEqual(expect.any(String));
    expect(journeys).toEqual([
      {
        id: world.ids.get("buy.journey.json"),
        path: "buy.journey.json",
        title: "Buy",
        operations: [{ method: "POST", path: "/orders", operationId: "post-orders" }],
      },
    ]);
  });

  it("names journeys behind a base path, and variants", async () => {
    const { scanRunId } = await world.scan(scanOf("edge", EDGE.slice(1)), { "waymark-promote": "false" });
    expect((await broken(scanRunId)).journeys.map(({ path }) => path)).toEqual(["buy.journey.json"]);
    const left = SHOP.filter((operation) => operation !== "POST /refunds");
    const other = await world.scan(scanOf("shop", left), { "waymark-promote": "false" });
    expect((await broken(other.scanRunId)).journeys.map(({ path }) => path)).toEqual([
      "partial.overlay.json",
      "refund.journey.json",
    ]);
  });

  it("breaks nothing where it has what the current one has, or is the first", async () => {
    const same = await world.scan(scanOf("shop", [...SHOP, "GET /new"], SHOP_FILE));
    expect(await broken(same.scanRunId)).toMatchObject({ journeys: [] });
    const first = await world.scan(scanOf("fresh", ["GET /items"]));
    expect(await broken(first.scanRunId)).toEqual({
      scanRunId: first.scanRunId,
      against: null,
      journeys: [],
    });
  });
});

describe("a request is refused", () => {
  it.each([
    ["window=0", 400, "validation_failed"],
    ["window=401", 400, "validation_failed"],
    ["origin=elsewhere", 400, "validation_failed"],
    ["limit=2001", 400, "validation_failed"],
    ["serviceId=00000000-0000-4000-8000-000000000000", 404, "not_found"],
    ["environmentId=00000000-0000-4000-8000-000000000000", 404, "not_found"],
  ])("with %s", async (queryString, status, code) => {
    const answer = await world.stack.http.get(`/api/journey-coverage?${queryString}`);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toMatchObject({ code });
  });

  it("to bind what is no description, or with a base path that is none", async () => {
    const bind = (document: string, body: object) =>
      world.stack.http.request("PUT", `/api/journeys/${world.ids.get(document)}/binding`, { body });
    expect((await bind("buy.journey.json", { serviceId: world.shopId })).status).toBe(400);
    expect((await bind("edge.openapi.json", { serviceId: world.shopId, pathPrefix: "/v1/" })).status).toBe(
      400,
    );
    expect((await bind("edge.openapi.json", { serviceId: randomUUID() })).status).toBe(404);
  });
});

it("a binding that is taken back is made again from the same bytes", async () => {
  const path = `/api/journeys/${world.ids.get("shop.openapi.json")}`;
  const binding = async () => (await world.stack.http.get<{ binding: unknown }>(path)).body.binding;
  expect(await binding()).toEqual({
    serviceId: world.shopId,
    serviceName: "shop",
    pathPrefix: "",
    how: "spec-hash",
    newerScanRunId: null,
  });
  await world.stack.http.request("PUT", `${path}/binding`, { body: { serviceId: world.edgeId } });
  expect(await binding()).toMatchObject({ serviceId: world.edgeId, how: "manual" });
  expect((await world.stack.http.request("DELETE", `${path}/binding`)).status).toBe(204);
  expect(await binding()).toMatchObject({ serviceId: world.shopId, how: "spec-hash" });
});

it("more endpoints than one answer may have are refused, but for one service", async () => {
  const operations = Array.from({ length: 2_000 }, (_, n) => `GET /${n}`);
  for (let n = 0; n < 10; n++) {
    const file = `openapi: 3.1.0\ninfo: { title: Large ${n}, version: "1" }\n`;
    await world.scan(scanOf(`large ${n}`, operations, file));
    await world.store(`large-${n}.openapi.yaml`, file);
  }
  const answer = await world.stack.http.get("/api/journey-coverage");
  expect(errorOf(answer)).toMatchObject({
    status: 400,
    message: expect.stringContaining("names one of 12 services: together they have 20035 endpoints"),
  });
  expect((await world.coverage(`serviceId=${world.shopId}`)).shares.operations.total).toBe(31);
});

it("a description of an archived service belongs to another one that was scanned from the same bytes", async () => {
  await world.run("buy.journey.json");
  const path = `/api/journeys/${world.ids.get("shop.openapi.json")}`;
  const boundTo = async () =>
    (await world.stack.http.get<{ binding: { serviceId: string } }>(path)).body.binding.serviceId;
  const archive = (archived: boolean) =>
    world.stack.http.request("PATCH", `/api/services/${world.shopId}`, { body: { archived } });
  const covered = async (serviceId: string) =>
    (await world.coverage(`serviceId=${serviceId}&totals=true`)).shares.operations.covered;
  const before = await covered(world.shopId);
  expect(before).toBeGreaterThan(0);
  await archive(true);
  expect(await boundTo()).toBe(world.shopId);
  const { serviceId } = await world.scan(scanOf("shop v2", SHOP, SHOP_FILE));
  expect(await covered(serviceId)).toBe(before);
  expect(await boundTo()).toBe(serviceId);
  // As any binding, it stays.
  await archive(false);
  expect(await boundTo()).toBe(serviceId);
  await world.stack.http.request("PATCH", `/api/services/${serviceId}`, { body: { archived: true } });
  expect(await covered(world.shopId)).toBe(before);
  // A binding by hand stays with its service.
  await world.stack.http.request("PUT", `${path}/binding`, { body: { serviceId: world.edgeId } });
  await world.stack.http.request("PATCH", `/api/services/${world.edgeId}`, { body: { archived: true } });
  expect(await boundTo()).toBe(world.edgeId);
});
