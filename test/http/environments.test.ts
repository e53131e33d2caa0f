import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { Environment, EnvironmentDetails } from "@waymark/shared/environments/schema.ts";
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createJourney } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

type Details = z.infer<typeof EnvironmentDetails>;

const NONE = "11111111-1111-1111-1111-111111111111";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const send = <T = unknown>(method: string, path: string, body?: unknown, headers = {}) =>
  stack.http.request<T>(method, path, { headers, ...(body === undefined ? {} : { body }) });
const create = async (settings: Record<string, unknown> = {}) =>
  (await stack.http.post<Environment>("/api/environments", { name: randomUUID(), ...settings })).body;
const read = async ({ id }: { id: string }) =>
  (await stack.http.get<Details>(`/api/environments/${id}`)).body;
const replace = (environment: { id: string; revision: number }, settings: unknown) =>
  send<Environment>("PUT", `/api/environments/${environment.id}`, settings, {
    "if-match": `"${environment.revision}"`,
  });
const eventsOf = async ({ id }: { id: string }) => {
  const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=200");
  return body.auditEvents
    .filter(({ details }) => details["environmentId"] === id)
    .map(({ action, details: { environmentId: _id, ...details } }) => ({ action, details }));
};

const SETTINGS = {
  servers: { orders: "https://orders.example.com/v1", local: "http://localhost:8080" },
  variables: { orders: { region: "eu" } },
  inputs: { customer: { id: "c-1", tags: [1, null] } },
  allowedHosts: ["*.example.com"],
  protected: true,
  storesBodies: false,
};

describe("an environment", () => {
  it("comes back as it was created, under its address, its name and in the list", async () => {
    const created = await stack.http.post<Environment>("/api/environments", { name: "staging", ...SETTINGS });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: "staging", ...SETTINGS, revision: 1 });
    expect(created.headers.get("etag")).toBe('"1"');
    const { body, headers } = await stack.http.get<Details>(created.headers.get("location") ?? "");
    expect(body).toEqual({ ...created.body, releases: [] });
    expect(headers.get("etag")).toBe('"1"');
    const named = await stack.http.get("/api/environments?name=staging");
    expect(named.body).toEqual({ environments: [created.body] });
    expect((await stack.http.get("/api/environments?name=nothing")).body).toEqual({ environments: [] });
  });

  it("is listed newest first, page by page", async () => {
    const made = [await create(), await create(), await create()].map(({ id }) => id);
    type Page = { environments: Environment[]; nextCursor?: string };
    const first = (await stack.http.get<Page>("/api/environments?limit=2")).body;
    const second = (await stack.http.get<Page>(`/api/environments?limit=2&cursor=${first.nextCursor}`)).body;
    const listed = [...first.environments, ...second.environments].map(({ id }) => id);
    expect(listed.slice(0, 3)).toEqual(made.toReversed());
  });

  it("may connect to its servers' hosts unless others are named", async () => {
    const { allowedHosts } = await create({ servers: SETTINGS.servers });
    expect(allowedHosts).toEqual(["localhost:8080", "orders.example.com"]);
    expect((await create({ servers: SETTINGS.servers, allowedHosts: [] })).allowedHosts).toEqual([]);
  });

  it("is refused with an unknown field or a host that is none, and the message says where", async () => {
    for (const [settings, path] of [
      [{ name: "x", server: {} }, ""],
      [{ name: "" }, "name"],
      [{ name: "x", allowedHosts: ["example.com", "https://example.com"] }, "allowedHosts[1]"],
      [{ name: "x", servers: { a: "https://user:pass@example.com" } }, "servers.a"],
    ] as const) {
      const error = errorOf(await send("POST", "/api/environments", settings));
      expect(error).toMatchObject({ status: 400, code: "validation_failed", details: [{ path }] });
    }
  });

  it("has a name that no other has, also when many ask for it at once", async () => {
    const name = "shared name";
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send("POST", "/api/environments", { name })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 409),
    ]);
    const other = await create();
    expect(errorOf(await replace(other, { name }))).toMatchObject({
      status: 409,
      code: "environment_name_taken",
    });
    expect((await read(other)).revision).toBe(1);
  });
});

describe("a change of an environment", () => {
  it("replaces all settings, raises the revision, and records what changed and not the values", async () => {
    const environment = await create(SETTINGS);
    const changed = await replace(environment, {
      ...SETTINGS,
      name: environment.name,
      inputs: {},
      protected: false,
    });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).toBe('"2"');
    expect(changed.body).toMatchObject({ ...SETTINGS, inputs: {}, protected: false, revision: 2 });
    const bare = await replace(changed.body, { name: environment.name });
    expect(bare.body).toMatchObject({ servers: {}, allowedHosts: [], protected: false, storesBodies: true });
    expect(await eventsOf(environment)).toEqual([
      {
        action: "environment.updated",
        details: {
          name: environment.name,
          revision: 3,
          changed: ["servers", "variables", "storesBodies", "allowedHosts"],
        },
      },
      {
        action: "environment.updated",
        details: { name: environment.name, revision: 2, changed: ["inputs", "protected"] },
      },
      { action: "environment.created", details: { name: environment.name } },
    ]);
  });

  it("needs If-Match, and one of two that began with the same revision is refused", async () => {
    const environment = await create();
    const address = `/api/environments/${environment.id}`;
    for (const headers of [{}, { "if-match": "1" }, { "if-match": "*" }, { "if-match": 'W/"1"' }]) {
      const error = errorOf(await send("PUT", address, { name: "x" }, headers));
      expect(error).toMatchObject({ status: 400, details: [{ path: "header if-match" }] });
    }
    const names = Array.from({ length: 6 }, () => randomUUID());
    const answers = await Promise.all(names.map((name) => replace(environment, { name })));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(errorOf(answer)).toMatchObject({ status: 412, code: "revision_conflict" });
    }
    expect(await read(environment)).toMatchObject({ name: winners[0]?.body.name, revision: 2 });
  });

  it("is not found for an environment that is unknown or another organization's", async () => {
    const environment = await create();
    const strangers = await createHostedOrganization(stack.databaseUrl, "Strangers");
    for (const [method, path, body] of [
      ["GET", ""],
      ["PUT", "", { name: "x" }],
      ["DELETE", ""],
      ["GET", "/secrets"],
      ["PUT", "/secrets/TOKEN", { value: "aB3-aB3-", hosts: ["a.example"] }],
      ["DELETE", "/secrets/TOKEN"],
      ["PUT", `/releases/${NONE}`, { version: 1 }],
      ["DELETE", `/releases/${NONE}`],
    ] as const) {
      const headers = { "if-match": '"1"' };
      const options = { headers, ...(body === undefined ? {} : { body }) };
      const unknown = await stack.http.request(method, `/api/environments/${NONE}${path}`, options);
      const foreign = await stack.http.request(method, `/api/environments/${environment.id}${path}`, {
        ...options,
        key: strangers.apiKey,
      });
      for (const answer of [unknown, foreign]) {
        expect([method, path, errorOf(answer).status]).toEqual([method, path, 404]);
      }
      expect(errorOf(unknown).message).toBe(errorOf(foreign).message);
    }
    expect(await read(environment)).toMatchObject({ revision: 1 });
  });
});

it("a deleted environment is gone with its secrets and releases, and is recorded", async () => {
  const environment = await create();
  const address = `/api/environments/${environment.id}`;
  const journeyId = await createJourney(stack);
  await send("PUT", `${address}/secrets/TOKEN`, { value: "aB3-aB3-", hosts: ["a.example"] });
  await send("PUT", `${address}/releases/${journeyId}`, { version: 1 });
  const deleted = await send("DELETE", address);
  expect([deleted.status, deleted.text]).toEqual([204, ""]);
  expect((await stack.http.get(address)).status).toBe(404);
  for (const table of ["environment_secrets", "journey_releases"]) {
    expect(await query(stack, `SELECT FROM ${table} WHERE environment_id = $1`, [environment.id])).toEqual(
      [],
    );
  }
  expect((await eventsOf(environment))[0]).toEqual({
    action: "environment.deleted",
    details: { name: environment.name },
  });
});

it("an environment that something else refers to is not deleted, and keeps its secrets", async () => {
  const environment = await create();
  const address = `/api/environments/${environment.id}`;
  await send("PUT", `${address}/secrets/TOKEN`, { value: "aB3-aB3-", hosts: ["a.example"] });
  await query(
    stack,
    `CREATE TABLE referring AS SELECT organization_id, id FROM environments WHERE id = '${environment.id}';
     ALTER TABLE referring ADD FOREIGN KEY (organization_id, id) REFERENCES environments (organization_id, id)`,
  );
  expect(errorOf(await send("DELETE", address))).toMatchObject({ status: 409, code: "environment_in_use" });
  expect((await stack.http.get(`${address}/secrets`)).body).toMatchObject({ secrets: [{ name: "TOKEN" }] });
  expect((await eventsOf(environment)).map(({ action }) => action)).not.toContain("environment.deleted");
  await query(stack, "DROP TABLE referring");
  expect((await send("DELETE", address)).status).toBe(204);
});

describe("a release", () => {
  it("names the version that the environment runs, can be replaced and taken back, and is recorded", async () => {
    const environment = await create({ protected: true });
    const journeyId = await createJourney(stack);
    const release = `/api/environments/${environment.id}/releases/${journeyId}`;
    expect(errorOf(await send("PUT", release, { version: 2 }))).toMatchObject({ status: 404 });
    expect(errorOf(await send("PUT", release, { version: 0 }))).toMatchObject({ status: 400 });
    expect(errorOf(await send("PUT", release, { version: 1, force: true }))).toMatchObject({ status: 400 });
    const released = await send("PUT", release, { version: 1 });
    expect(released.body).toMatchObject({ journeyId, version: 1 });
    expect((await read(environment)).releases).toEqual([released.body]);
    expect(
      (
        await send(
          "PUT",
          release
            .toUpperCase()
            .replace("/API/ENVIRONMENTS/", "/api/environments/")
            .replace("/RELEASES/", "/releases/"),
          { version: 1 },
        )
      ).status,
    ).toBe(200);
    expect((await send("DELETE", release)).status).toBe(204);
    expect((await send("DELETE", release)).status).toBe(404);
    expect((await read(environment)).releases).toEqual([]);
    expect(await eventsOf(environment)).toMatchObject([
      { action: "journey.release_deleted", details: { journeyId } },
      { action: "journey.released", details: { journeyId, version: 1 } },
      { action: "journey.released", details: { journeyId, version: 1 } },
      { action: "environment.created" },
    ]);
  });

  it("needs scopes for the environment and for the journey: one that is limited to the other is not enough", async () => {
    const [environment, other] = [await create(), await create()];
    const [journeyId, otherJourney] = [await createJourney(stack), await createJourney(stack)];
    const statusWith = async (scopes: readonly Scope[], place: Environment, journey: string) => {
      const key = await createKey(stack, scopes);
      const path = `/api/environments/${place.id}/releases/${journey}`;
      const body = { version: 1 };
      const preview = await stack.http.get(path, { key });
      const { status } = await stack.http.request("PUT", path, { key, body });
      expect(preview.status).toBe(status);
      return status;
    };
    type Scope = string | { permission: string; [constraint: string]: string };
    const ofBoth = { environmentId: environment.id, workflowId: journeyId };
    const all = (constraint: Record<string, string>) => [{ permission: "*", ...constraint }];
    expect(await statusWith(all(ofBoth), environment, journeyId)).toBe(200);
    expect(await statusWith(all(ofBoth), environment, otherJourney)).toBe(403);
    expect(await statusWith(all(ofBoth), other, journeyId)).toBe(403);
    expect(await statusWith(all({ workflowId: journeyId }), environment, journeyId)).toBe(403);
    expect(
      await statusWith(all({ resourceType: "workflow", resourceId: journeyId }), environment, journeyId),
    ).toBe(403);
    expect(await statusWith(all({ environmentId: environment.id }), environment, journeyId)).toBe(403);
    const one = (constraint: Record<string, string>, reads: Record<string, string>) =>
      ["environments:read", "environments:write"]
        .map((permission): Scope => ({ permission, ...constraint }))
        .concat({ permission: "journeys:read", ...reads });
    const narrow = one({ environmentId: environment.id }, { workflowId: journeyId });
    expect(await statusWith(narrow, environment, journeyId)).toBe(200);
    expect(await statusWith(narrow, environment, otherJourney)).toBe(403);
    expect(await statusWith(narrow, other, journeyId)).toBe(403);
  });
});

it("a key limited to an environment reads its own by name, and no other, known or not", async () => {
  const [own, other] = [await create(), await create()];
  const key = await createKey(stack, [{ permission: "environments:read", environmentId: own.id }]);
  const byName = (name: string) => stack.http.get(`/api/environments?name=${name}`, { key });
  expect((await byName(own.name)).body).toMatchObject({ environments: [{ id: own.id }] });
  const [known, unknown] = [errorOf(await byName(other.name)), errorOf(await byName("nothing"))];
  expect(known).toMatchObject({ status: 403, message: expect.stringContaining("environmentId") });
  expect({ ...known, requestId: "" }).toEqual({ ...unknown, requestId: "" });
  expect((await stack.http.get("/api/environments", { key })).status).toBe(403);
});

// The last one: it fills the organization.
it("an organization has 50 environments at most, also when more are created at once", async () => {
  await query(
    stack,
    `INSERT INTO environments (organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected,
                               stores_bodies, created_by_key_id)
     SELECT $1, gen_random_uuid(), 'full ' || n, '{}', '{}', '{}', '{}', false, true, $1
     FROM generate_series((SELECT count(*) FROM environments WHERE organization_id = $1) + 1, 45) n`,
    [stack.organizationId],
  );
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => send("POST", "/api/environments", { name: randomUUID() })),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(7);
  for (const answer of refused) expect(errorOf(answer)).toMatchObject({ status: 409, code: "limit_reached" });
  const rows = await query(stack, "SELECT FROM environments WHERE organization_id = $1", [
    stack.organizationId,
  ]);
  expect(rows).toHaveLength(50);
});
