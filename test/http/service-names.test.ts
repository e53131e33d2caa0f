import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const SCAN = ["scans:create", "services:create", "services:update", "endpoints:write"];

async function send(
  serviceName: string,
  {
    seed = randomUUID(),
    key = stack.apiKey,
    headers = {},
  }: { seed?: string; key?: string; headers?: object } = {},
) {
  return stack.http.post<ScanIngestionResult & { error?: { code: string; message: string } }>(
    "/api/scans/ingest",
    scanPayload({ serviceName, seed }),
    { key, headers: { ...headers } },
  );
}

async function scan(serviceName: string, seed?: string) {
  const { status, body } = await send(serviceName, seed === undefined ? {} : { seed });
  expect(status).toBe(201);
  await waitForRun(stack, body.scanRunId);
  return body.serviceId;
}

const patch = (serviceId: string, body: unknown, key = stack.apiKey) =>
  stack.http.request<Service & { error?: { code: string; message: string } }>(
    "PATCH",
    `/api/services/${serviceId}`,
    { body, key },
  );
const read = async (serviceId: string) => (await stack.http.get<Service>(`/api/services/${serviceId}`)).body;
const found = async (name: string, key = stack.apiKey) => {
  const path = `/api/services?name=${encodeURIComponent(name)}`;
  const { body } = await stack.http.request<{ services: Service[] }>("GET", path, { key });
  return body.services.map(({ id }) => id);
};

describe("a renamed service", () => {
  it("takes scans under its old name, and is found by it", async () => {
    const id = await scan("old", "1");
    expect((await patch(id, { name: "new" })).body).toMatchObject({ id, name: "new", aliases: ["old"] });
    for (const seed of ["1", "1", "2", "2"]) expect(await scan("old", seed)).toBe(id);
    expect(await scan("new", "2")).toBe(id);
    expect([await found("old"), await found("new")]).toEqual([[id], [id]]);
    expect(await query(stack, "SELECT FROM services WHERE name IN ('old', 'new')")).toHaveLength(1);
  });

  it("gets its old name back, and the newer one leads to it", async () => {
    const id = await scan("first name");
    await patch(id, { name: "second name" });
    expect((await patch(id, { name: "first name" })).body).toMatchObject({
      name: "first name",
      aliases: ["second name"],
    });
    expect(await scan("second name")).toBe(id);
  });

  it("answers a repeated request with the same Idempotency-Key under either name", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const first = await send("replayed before", { seed: "r", headers });
    await waitForRun(stack, first.body.scanRunId);
    await patch(first.body.serviceId, { name: "replayed after" });
    const again = await send("replayed before", { seed: "r", headers });
    expect([again.status, again.body.scanRunId]).toEqual([201, first.body.scanRunId]);
  });

  it("loses an alias: the same bytes as before create a service", async () => {
    const id = await scan("left behind", "same");
    await scan("left behind", "same");
    await patch(id, { name: "moved on" });
    expect(await scan("left behind", "same")).toBe(id);
    expect((await patch(id, { aliases: [] })).body.aliases).toEqual([]);
    const other = await scan("left behind", "same");
    expect(other).not.toBe(id);
    for (let times = 0; times < 2; times++) expect(await scan("left behind", "same")).toBe(other);
    expect(await scan("moved on", "same")).toBe(id);
  });

  it("drops its old name at once if the request says which aliases it has", async () => {
    const id = await scan("wrong");
    expect((await patch(id, { name: "right", aliases: ["also right"] })).body).toMatchObject({
      name: "right",
      aliases: ["also right"],
    });
    expect(await scan("also right")).toBe(id);
    expect(await scan("wrong")).not.toBe(id);
  });

  it("can't have a name or an alias of another service", async () => {
    const one = await scan("taken by one");
    await patch(one, { aliases: ["alias of one"] });
    const two = await scan("two");
    for (const body of [
      { name: "taken by one" },
      { name: "alias of one" },
      { aliases: ["taken by one"] },
      { aliases: ["fine", "alias of one"] },
    ]) {
      const { status, body: answer } = await patch(two, body);
      expect([status, answer.error?.code]).toEqual([409, "service_name_taken"]);
    }
    expect(await read(two)).toMatchObject({ name: "two", aliases: [] });
  });

  it("gets one name of several requests at once, and all of its names stay its own", async () => {
    const ids = await Promise.all(["race a", "race b", "race c"].map((name) => scan(name)));
    const answers = await Promise.all(ids.map((id) => patch(id, { name: "race won" })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await found("race won")).toHaveLength(1);
  });

  it("keeps its new name when a request that names only aliases waited for the renaming", async () => {
    const id = await scan("renamed before");
    const rename = "UPDATE services SET name = 'renamed after' WHERE id = $1";
    await using renaming = await holdStatement(stack, rename, [id]);
    const waiting = patch(id, { aliases: ["renamed aside"] });
    await untilWaiting(stack, { atLeast: 1, type: "row" });
    await renaming.commit();
    expect((await waiting).body).toMatchObject({ name: "renamed after", aliases: ["renamed aside"] });
  });

  it("is recorded with its names, where they change", async () => {
    const id = await scan("audited before");
    await patch(id, { name: "audited after" });
    await patch(id, { name: "audited after" });
    const { body } = await stack.http.get<{ auditEvents: { details: Record<string, unknown> }[] }>(
      "/api/audit-events?action=service.updated",
    );
    const own = body.auditEvents.map(({ details }) => details).filter((each) => each["serviceId"] === id);
    expect(own).toEqual([{ serviceId: id, name: "audited after", aliases: ["audited before"] }]);
  });

  it.each([
    ["an empty name", { name: "" }, "name"],
    ["a long name", { name: "x".repeat(121) }, "name"],
    ["a zero-width space", { name: "or\u200bders" }, "name"],
    ["a mark of direction", { name: "\u202eorders" }, "name"],
    ["a decomposed letter", { name: "cafe\u0301" }, "name"],
    ["a space at the end", { name: "orders " }, "name"],
    ["null", { name: null }, "name"],
    ["an alias that is no name", { aliases: ["fine", "a\nb"] }, "aliases[1]"],
    ["51 aliases", { aliases: Array.from({ length: 51 }, (_, n) => `a${n}`) }, "aliases"],
  ])("can't have %s", async (_, body, path) => {
    const id = await scan("named well");
    const { status, body: answer } = await patch(id, body);
    const { error } = answer as unknown as { error: { details: { path: string }[] } };
    expect([status, error.details[0]?.path]).toEqual([400, path]);
  });
});

describe("a key that is limited to services", () => {
  it("by a name, goes on after the service was renamed, and stops when the alias is removed", async () => {
    const id = await scan("fleet");
    const limit = { resourceConstraints: { serviceNames: ["fleet"] } };
    const key = await createKey(
      stack,
      [...SCAN.filter((each) => each !== "services:create"), "services:read", "endpoints:read"].map(
        (permission) => ({
          permission,
          ...limit,
        }),
      ),
    );
    await patch(id, { name: "armada" });
    // The third time, the server knows the bytes and their service.
    for (let times = 0; times < 3; times++) {
      const { status, body } = await send("fleet", { seed: "f", key });
      expect([status, body.serviceId]).toEqual([201, id]);
      await waitForRun(stack, body.scanRunId);
    }
    expect(await found("fleet", key)).toEqual([id]);
    const reads = [`/api/services/${id}`, `/api/services/${id}/endpoints`, `/api/services/${id}/scan-runs`];
    const statuses = async () =>
      Promise.all(reads.map(async (path) => (await stack.http.request("GET", path, { key })).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await patch(id, { aliases: [] });
    expect(await statuses()).toEqual([403, 403, 403]);
    expect((await send("fleet", { seed: "f", key })).status).toBe(403);
  });

  it("by an id, renames nothing, and gets the same answer for a name that is taken and one that is free", async () => {
    const own = await scan("insider");
    const secret = await scan("secret project");
    await patch(secret, { aliases: ["secret alias"] });
    const limited = [...SCAN, "services:read"].map((permission) => ({ permission, serviceId: own }));
    const key = await createKey(stack, limited);
    const answers = [];
    for (const name of ["secret project", "secret alias", "no such service"]) {
      answers.push(await patch(own, { name }, key), await patch(own, { aliases: [name] }, key));
      answers.push(await send(name, { key }));
      expect(await found(name, key)).toEqual([]);
    }
    const told = answers.map(({ status, body }) => [
      status,
      body.error?.message.replaceAll(/request \S+/g, ""),
    ]);
    expect(new Set(told.map((each) => JSON.stringify(each))).size).toBe(2);
    expect(told.every(([status]) => status === 403)).toBe(true);
  });

  it("by names, renames within them only, and does not reach a service by renaming it", async () => {
    const limit = { resourceConstraints: { serviceNames: ["team-a-*"] } };
    const own = await scan("team-a-one");
    const other = await scan("team-b-one");
    const key = await createKey(stack, [
      { permission: "services:create", ...limit },
      { permission: "services:update", ...limit },
    ]);
    expect((await patch(own, { name: "team-a-two" }, key)).status).toBe(200);
    expect((await patch(own, { name: "team-b-two" }, key)).status).toBe(403);
    expect((await patch(other, { name: "team-a-stolen" }, key)).status).toBe(403);
    const wide = await createKey(stack, [
      "services:create",
      "services:update",
      { permission: "endpoints:read", ...limit },
    ]);
    const refused = await patch(other, { name: "team-a-stolen" }, wide);
    expect([refused.status, refused.body.error?.code]).toEqual([403, "permission_denied"]);
    expect((await patch(other, { name: "team-b-renamed" }, wide)).status).toBe(200);
  });
});
