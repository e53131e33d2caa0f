import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { journeyText, overlayText, sendChangeset, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** One of each thing. The names of the foreign one contain FOREIGN. */
interface Things {
  serviceId: string;
  scanRunId: string;
  journeyId: string;
  descriptionId: string;
  environmentId: string;
  runId: string;
  scheduleId: string;
  apiKeyId: string;
  hash: string;
}
const FOREIGN = "zzforeign";

let stack: Stack;
let own: Things;
let foreign: Things;
beforeAll(async () => {
  stack = await startStack();
  own = await createThings("own");
  foreign = await createThings(FOREIGN);
  // A foreign overlay refers to the own journey.
  const text = overlayText(FOREIGN, "own.journey.yaml");
  await storeDocument(stack, { path: `${FOREIGN}.overlay.yaml`, text });
});
afterAll(() => stack[Symbol.asyncDispose]());

const send = (method: string, path: string, body?: unknown, key?: string) =>
  stack.http.request<Record<string, string>>(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key }),
  });

async function made(method: string, path: string, body: unknown): Promise<Record<string, string>> {
  const answer = await send(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

async function createThings(name: string): Promise<Things> {
  const sent = await ingest(stack, scanPayload({ serviceName: name }));
  await waitForRun(stack, sent.body.scanRunId);
  const { serviceId, scanRunId } = sent.body;
  const description = `openapi: 3.1.0\ninfo: { title: ${name}, version: 1.0.0 }\npaths: {}\n`;
  const { id: descriptionId } = await storeDocument(stack, {
    path: `${name}.openapi.yaml`,
    text: description,
  });
  const { id: journeyId } = await storeDocument(stack, {
    path: `${name}.journey.yaml`,
    text: journeyText(name),
  });
  const { id: environmentId = "" } = await made("POST", "/api/environments", { name, protected: true });
  await made("PUT", `/api/journeys/${descriptionId}/binding`, { serviceId });
  await made("PUT", `/api/environments/${environmentId}/secrets/${name}`, {
    value: `${name}-secret-value`,
    hosts: ["api.example"],
  });
  await made("PUT", `/api/environments/${environmentId}/releases/${journeyId}`, { version: 1 });
  const { runId = "", artifact: hash = "" } = await made("POST", "/api/journey-runs", {
    journeyId,
    environmentId,
  });
  const schedule = { name, journeyId, environmentId, cron: "0 4 1 1 *" };
  const { id: scheduleId = "" } = await made("POST", "/api/journey-schedules", schedule);
  const { id: apiKeyId = "" } = await made("POST", "/api/api-keys", {
    name,
    ownerPrincipalType: "service_account",
    scopes: ["services:read"],
  });
  await made("POST", `/api/services/${serviceId}/badge`, {});
  return { serviceId, scanRunId, journeyId, descriptionId, environmentId, runId, scheduleId, apiKeyId, hash };
}

type Scope = string | ({ permission: string } & Record<string, unknown>);

/** Keys that may read nothing of the foreign things. */
function limitedKeys(): [string, Scope[]][] {
  const constraints: [string, Record<string, unknown>][] = [
    ["its service", { serviceId: own.serviceId }],
    ["its service's name", { resourceConstraints: { serviceNames: ["own"] } }],
    ["its environment", { environmentId: own.environmentId }],
    ["its journey", { workflowId: own.journeyId }],
    ["its description", { workflowId: own.descriptionId }],
    ["its service as a resource", { resourceType: "service", resourceId: own.serviceId }],
    ["its environment as a resource", { resourceType: "environment", resourceId: own.environmentId }],
    ["its journey as a resource", { resourceType: "workflow", resourceId: own.journeyId }],
    ["its journey by the id alone", { resourceId: own.journeyId }],
    ["itself as a key", { resourceType: "api_key", resourceId: own.apiKeyId }],
    ["its journey and environment", { workflowId: own.journeyId, environmentId: own.environmentId }],
    ["its journey and service", { workflowId: own.journeyId, serviceId: own.serviceId }],
  ];
  const ofAll = constraints.flatMap(([name, constraint], n): [string, Scope[]][] => {
    const forms: [string, Scope[]][] = [
      [`* of ${name}`, [{ permission: "*", ...constraint }]],
      [`every permission of ${name}`, PERMISSIONS.map((permission) => ({ permission, ...constraint }))],
    ];
    return scaled({ short: forms.slice(n % 2, (n % 2) + 1), long: forms });
  });
  const of: Record<string, Record<string, string>> = {
    services: { serviceId: own.serviceId },
    endpoints: { serviceId: own.serviceId },
    scans: { serviceId: own.serviceId },
    environments: { environmentId: own.environmentId },
    secrets: { environmentId: own.environmentId },
    "api-keys": { resourceType: "api_key", resourceId: own.apiKeyId },
    journeys: { workflowId: own.journeyId },
    "journey-results": { workflowId: own.journeyId },
  };
  const each = (["services", "environments", "journeys"] as const).map((kind): [string, Scope[]] => [
    `each permission of its own resource, ${kind} first`,
    PERMISSIONS.filter((permission) => !/^(audit|operations):/.test(permission))
      .toSorted((a) => (a.startsWith(kind) ? -1 : 1))
      .map((permission) => ({ permission, ...of[permission.split(":")[0] ?? ""] })),
  ]);
  return [...ofAll, ...each];
}

const METHODS = ["get", "put", "post", "delete", "patch"] as const;
interface OpenApi {
  paths: Record<string, Partial<Record<(typeof METHODS)[number], { operationId: string }>>>;
}

/** The routes with their parameters, as `/openapi.json` has them. */
async function routes(): Promise<{ method: string; path: string; operationId: string }[]> {
  const { body } = await stack.http.get<OpenApi>("/openapi.json", { key: null });
  return Object.entries(body.paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operationId = operations[method]?.operationId;
      return operationId === undefined ? [] : [{ method: method.toUpperCase(), path, operationId }];
    }),
  );
}

const filled = (path: string, things: Things, more: Record<string, string> = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ ...more, ...things })[name] ?? "1");

const FILTERS = ["", "serviceId", "environmentId", "journeyId", "apiKeyId"] as const;

describe("a narrow key", () => {
  it("reads nothing of what it is not for, on any route and with any filter", async () => {
    const reads = (await routes()).filter(({ method }) => method === "GET");
    expect(reads.length).toBeGreaterThan(40);
    const ids = [...Object.values(foreign), FOREIGN];
    const leaks: string[] = [];
    for (const [name, scopes] of limitedKeys()) {
      const key = await createKey(stack, scopes);
      const paths = reads.flatMap(({ path }) =>
        [own, foreign].flatMap((things) =>
          (path.includes("{") || things === foreign ? ([""] as const) : FILTERS).map((filter) => {
            const address = filled(path, things, { name: "own" });
            const needed = path.startsWith("/api/api-keys")
              ? `organizationId=${stack.organizationId}`
              : "q=get";
            const narrowed = filter === "" ? "" : `${filter}=${own[filter]}`;
            const asked = path === "/api/endpoints" || path.startsWith("/api/api-keys") ? needed : narrowed;
            return asked === "" ? address : `${address}?${asked}`;
          }),
        ),
      );
      const answers = await Promise.all(
        [...new Set(paths)].map(async (path) => ({ path, answer: await send("GET", path, undefined, key) })),
      );
      for (const { path, answer } of answers) {
        expect(answer.status, `${name}: GET ${path}`).toBeLessThan(500);
        const shown = ids.filter((id) => id !== "" && answer.text.includes(id) && !path.includes(id));
        const refused = answer.status >= 400;
        if (shown.length > 0 || (!refused && ids.some((id) => path.includes(id))))
          leaks.push(`${name}: GET ${path} ${answer.status} ${shown.join(" ")}`);
      }
    }
    expect(leaks).toEqual([]);
  }, 120_000);

  it("changes nothing of what it is not for, on any route", async () => {
    const writes = (await routes()).filter(({ method }) => method !== "GET");
    const bodies: Record<string, unknown> = {
      bindJourney: { serviceId: foreign.serviceId },
      releaseJourney: { version: 1 },
      startJourneyRun: { journeyId: foreign.journeyId, environmentId: foreign.environmentId },
      createJourneySchedule: {
        name: "new",
        journeyId: foreign.journeyId,
        environmentId: foreign.environmentId,
        cron: "0 4 1 1 *",
      },
      setEnvironmentSecret: { value: "another-secret-value", hosts: ["api.example"] },
      replaceEnvironment: { name: "taken" },
      replaceJourneySchedule: {
        name: "taken",
        journeyId: own.journeyId,
        environmentId: own.environmentId,
        cron: "0 4 1 1 *",
      },
      restoreJourney: { version: 1, baseVersion: 1 },
      createJourneyChangeset: {
        changes: [{ path: `${FOREIGN}.journey.yaml`, text: journeyText("changed"), baseVersion: 1 }],
      },
    };
    expect(writes.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(Object.keys(bodies)));
    const before = await snapshot();
    const done: string[] = [];
    for (const [name, scopes] of limitedKeys()) {
      const key = await createKey(stack, scopes);
      for (const { method, path, operationId } of writes) {
        const mixes = [
          foreign,
          { ...own, environmentId: foreign.environmentId },
          { ...own, journeyId: foreign.journeyId },
        ];
        for (const things of mixes) {
          const address = filled(path, things, { name: FOREIGN });
          if (
            !address.includes(foreign.environmentId) &&
            !address.includes(foreign.journeyId) &&
            things !== foreign
          )
            continue;
          if (!Object.values(foreign).some((id) => address.includes(id)) && bodies[operationId] === undefined)
            continue;
          const answer = await stack.http.request(method, address, {
            key,
            ...(method === "DELETE" ? {} : { body: bodies[operationId] ?? {} }),
            headers: operationId === "replaceEnvironment" ? { "if-match": '"1"' } : {},
          });
          if (answer.status < 400) done.push(`${name}: ${method} ${address} ${answer.status}`);
        }
      }
    }
    expect(done).toEqual([]);
    expect(await snapshot()).toEqual(before);
  }, 120_000);

  it("binds no service that it may not read, and no description that it may not write", async () => {
    const bind = (key: string, descriptionId: string, serviceId: string) =>
      send("PUT", `/api/journeys/${descriptionId}/binding`, { serviceId }, key);
    const ofDescription = await createKey(stack, [{ permission: "*", workflowId: own.descriptionId }]);
    const ofService = await createKey(stack, [{ permission: "*", serviceId: own.serviceId }]);
    const both = await createKey(stack, [
      { permission: "journeys:write", workflowId: own.descriptionId },
      { permission: "services:read", serviceId: own.serviceId },
    ]);
    expect((await bind(ofDescription, own.descriptionId, foreign.serviceId)).status).toBe(403);
    expect((await bind(ofDescription, own.descriptionId, own.serviceId)).status).toBe(403);
    expect((await bind(ofService, foreign.descriptionId, own.serviceId)).status).toBe(403);
    expect((await bind(both, own.descriptionId, foreign.serviceId)).status).toBe(403);
    expect((await bind(both, own.descriptionId, own.serviceId)).status).toBe(200);
  });
});

/** Everything that belongs to the foreign things. */
async function snapshot(): Promise<unknown> {
  const tables = [
    "services",
    "journey_documents",
    "environments",
    "journey_schedules",
    "api_keys",
    "scan_runs",
  ];
  const ids = Object.values(foreign).filter((id) => id.length === 36);
  const rows = await Promise.all(
    tables.map((table) =>
      query(
        stack,
        `SELECT to_jsonb(t) - 'last_used_at' AS row FROM ${table} t WHERE id = ANY($1) ORDER BY id`,
        [ids],
      ),
    ),
  );
  const secrets = await query(
    stack,
    "SELECT name, version FROM environment_secrets WHERE environment_id = $1",
    [foreign.environmentId],
  );
  const releases = await query(stack, "SELECT * FROM journey_releases WHERE environment_id = $1", [
    foreign.environmentId,
  ]);
  const bindings = await query(stack, "SELECT * FROM source_bindings WHERE document_id = $1", [
    foreign.descriptionId,
  ]);
  return [rows, secrets, releases, bindings];
}

describe("a reference to another document", () => {
  const overlay = (base: string) => overlayText("mine", base);
  const journey = (url: string, type: string) =>
    journeyText("own").replace(
      "sourceDescriptions: []",
      `sourceDescriptions: [{ name: other, type: ${type}, url: ${url} }]`,
    );

  it.each<[string, string, (target: string) => string]>([
    ["the base of an overlay", "mine.overlay.yaml", overlay],
    ["a called journey", "mine.journey.yaml", (target) => journey(target, "arazzo")],
    ["a description", "mine.journey.yaml", (target) => journey(target, "openapi")],
    [
      "a part of a description",
      "mine.openapi.yaml",
      (target) => `openapi: 3.1.0\npaths: { /a: { $ref: "${target}#/a" } }\n`,
    ],
  ])("needs journeys:read of it where it is new: %s", async (_what, name, textOf) => {
    const path = `${crypto.randomUUID()}/${name}`;
    const first = await storeDocument(stack, { path, text: textOf("./none.yaml") });
    const key = await createKey(stack, [{ permission: "*", workflowId: first.id }]);
    const change = (target: string, dryRun: boolean, as = key) =>
      sendChangeset(
        stack,
        { dryRun, changes: [{ path, text: textOf(target), baseVersion: 1 }] },
        { key: as },
      );
    for (const dryRun of [true, false]) {
      const [there, missing] = [
        await change(`../${FOREIGN}.journey.yaml`, dryRun),
        await change("../nothing.journey.yaml", dryRun),
      ];
      expect(errorOf(there)).toMatchObject({ status: 403, code: "permission_denied" });
      expect({ ...errorOf(there), requestId: "" }).toEqual({ ...errorOf(missing), requestId: "" });
    }
    const reader = await createKey(stack, [
      { permission: "journeys:write", workflowId: first.id },
      { permission: "journeys:read", workflowId: foreign.journeyId },
    ]);
    expect((await change(`../${FOREIGN}.journey.yaml`, false, reader)).status).toBe(201);
    // A reference that is there already can stay.
    const kept = { path, text: `${textOf(`../${FOREIGN}.journey.yaml`)}# changed\n`, baseVersion: 2 };
    expect((await sendChangeset(stack, { changes: [kept] }, { key })).status).toBe(201);
    const seen = await stack.http.get<{ base: { id: string | null } | null; drift: null }>(
      `/api/journeys/${first.id}`,
      { key },
    );
    expect(seen.text).not.toContain(foreign.journeyId);
  });
});

describe("responses to narrow keys", () => {
  it("a refusal to archive a journey names its schedule only to keys that may read it", async () => {
    const id = own.journeyId;
    const writer = await createKey(stack, [{ permission: "journeys:write", workflowId: id }]);
    const refused = await send("DELETE", `/api/journeys/${id}`, undefined, writer);
    expect(errorOf(refused)).toMatchObject({ code: "document_in_use" });
    expect(refused.text).not.toContain("schedule own");
    expect((await send("DELETE", `/api/journeys/${id}`)).text).toContain("The schedule own runs");
  });

  it("a repository takes over no document of another one by sending the same text", async () => {
    const path = `${crypto.randomUUID()}.journey.yaml`;
    const push = (repository: string, baseVersion: number | null, unlock = false) =>
      sendChangeset(stack, {
        managedBy: { repository },
        unlock,
        changes: [{ path, text: journeyText("Managed"), baseVersion }],
      });
    expect((await push("a/one", null)).status).toBe(201);
    expect(errorOf(await push("b/two", 1))).toMatchObject({ status: 409, code: "document_managed" });
    expect((await push("a/one", 1)).status).toBe(201);
    const [row] = await query<{ managed_repository: string }>(
      stack,
      "SELECT managed_repository FROM journey_documents WHERE path = $1",
      [path],
    );
    expect(row?.managed_repository).toBe("a/one");
  });

  it.each([
    "https://user:password@ci.example/1",
    "https://token@ci.example/1",
    "https://ci.example/1?access_token=xyz",
    "https://ci.example/1?a=1&PRIVATE-TOKEN=xyz",
    "https://bucket.example/1?X-Amz-Signature=xyz",
    "https://ci.example/1#access_token=xyz",
    // No client could open it, and it shows the password.
    "https://user:xyz@ci.example:99999/1",
  ])("the source of a document carries no credentials: %s", async (url) => {
    const change = { path: "source.journey.yaml", text: journeyText("Source"), baseVersion: null };
    const refused = await sendChangeset(stack, { dryRun: true, source: { url }, changes: [change] });
    expect(errorOf(refused)).toMatchObject({ status: 400, code: "validation_failed" });
    expect(refused.text).not.toContain("xyz");
    const managed = await sendChangeset(stack, {
      dryRun: true,
      managedBy: { repository: url },
      changes: [change],
    });
    expect(managed.status).toBe(400);
    const kept = "https://ci.example/1?job=2&tokens=3";
    expect(
      (await sendChangeset(stack, { dryRun: true, source: { url: kept }, changes: [change] })).status,
    ).toBe(200);
  });

  it("the response with an artifact is no-store", async () => {
    const { headers, status } = await stack.http.get(`/api/journey-artifacts/${own.hash}`);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
  });
});
