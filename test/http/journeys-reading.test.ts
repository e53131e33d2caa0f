import { createHash, randomUUID } from "node:crypto";
import type { DocumentVersion, JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import {
  journeyText,
  newJourneyPath,
  overlayText,
  readDocument,
  sendChangeset,
  storeDocument,
} from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const read = (id: string) => readDocument(stack, id);

describe("reading", () => {
  it("lists by kind, tag, template, path and text, page by page", async () => {
    const own = await createHostedOrganization(stack.databaseUrl, "Lists");
    const options = { key: own.apiKey };
    const template = journeyText("Sign 50%_in für Größe").replace("schema: 1", "schema: 1, template: true");
    const changes = [
      { path: "a/login.journey.yaml", text: template, baseVersion: null },
      { path: "a/fast.overlay.yaml", text: overlayText("fast", "login.journey.yaml"), baseVersion: null },
      { path: "api.yaml", text: "openapi: 3.1.0\n", baseVersion: null },
    ];
    await sendChangeset(stack, { changes }, options);
    const paths = async (query: string) => {
      const { body } = await stack.http.get<{ journeys: JourneyDocument[] }>(
        `/api/journeys?${query}`,
        options,
      );
      return body.journeys.map(({ path }) => path).toSorted();
    };
    expect(await paths("")).toEqual(["a/fast.overlay.yaml", "a/login.journey.yaml", "api.yaml"]);
    expect(await paths("kind=overlay")).toEqual(["a/fast.overlay.yaml"]);
    expect(await paths("tag=smoke")).toEqual(["a/login.journey.yaml"]);
    expect(await paths("template=true")).toEqual(["a/login.journey.yaml"]);
    expect(await paths("q=50%25_IN")).toEqual(["a/login.journey.yaml"]);
    // In any case and form, whatever the database's locale.
    expect(await paths(`q=${encodeURIComponent("FÜR GRO\u0308")}`)).toEqual(["a/login.journey.yaml"]);
    expect(await paths("q=A/")).toEqual(["a/fast.overlay.yaml", "a/login.journey.yaml"]);
    expect(await paths("path=api.yaml")).toEqual(["api.yaml"]);
    const first = await stack.http.get<{ journeys: unknown[]; nextCursor: string }>(
      "/api/journeys?limit=2",
      options,
    );
    expect(first.body.journeys).toHaveLength(2);
    expect(await paths(`limit=2&cursor=${first.body.nextCursor}`)).toHaveLength(1);
  });

  it("has the newest run in each environment, and how the last ones ended", async () => {
    const { id: journeyId } = await storeDocument(stack, {
      path: newJourneyPath(),
      text: journeyText("Runs"),
    });
    expect(await read(journeyId)).toMatchObject({
      lastRun: null,
      lastRuns: [],
      recentStatuses: [],
      criteria: null,
    });
    const started: string[] = [];
    const names = ["first", "second"].map((name) => `${name}-${randomUUID()}`);
    const ids = await Promise.all(
      names.map(
        async (name) => (await stack.http.post<{ id: string }>("/api/environments", { name })).body.id,
      ),
    );
    for (const environmentId of [ids[0], ids[1], ids[0]]) {
      const run = await stack.http.post<{ runId: string }>("/api/journey-runs", { journeyId, environmentId });
      started.push(run.body.runId);
    }
    const { lastRun, lastRuns, recentStatuses } = await read(journeyId);
    expect(lastRuns.map(({ id, environmentName }) => [id, environmentName])).toEqual([
      [started[2], names[0]],
      [started[1], names[1]],
    ]);
    expect(lastRun).toEqual(lastRuns[0]);
    expect(recentStatuses).toHaveLength(3);
  });

  it("names the bytes of a version by their hash, and pages through versions", async () => {
    const path = newJourneyPath();
    const { id } = await storeDocument(stack, { path, text: journeyText("V1") });
    for (const n of [1, 2])
      await storeDocument(stack, { path, text: journeyText(`V${n + 1}`), baseVersion: n });
    const answer = await stack.http.get<DocumentVersion>(`/api/journeys/${id}/versions/3`);
    expect(answer.headers.get("etag")).toBe(`"${(await read(id)).headHash}"`);
    type Page = { versions: DocumentVersion[]; nextCursor?: string };
    const first = await stack.http.get<Page>(`/api/journeys/${id}/versions?limit=2`);
    expect(first.body.versions.map(({ version, parentVersion }) => [version, parentVersion])).toEqual([
      [3, 2],
      [2, 1],
    ]);
    const next = `/api/journeys/${id}/versions?limit=2&cursor=${first.body.nextCursor}`;
    expect((await stack.http.get<Page>(next)).body.versions.map(({ version }) => version)).toEqual([1]);
    expect((await stack.http.get(`/api/journeys/${id}/versions/4`)).status).toBe(404);
  });

  it("composes a variant, with other texts too, and compiles it", async () => {
    const [path, overlay] = [newJourneyPath(), newJourneyPath("overlay")];
    await storeDocument(stack, { path, text: journeyText("Base") });
    const variant = await storeDocument(stack, { path: overlay, text: overlayText("v", path.slice(2)) });
    type Composition = { text: string; fields: { pointer: string; change: string }[]; programId: string };
    const composed = await stack.http.get<Composition>(`/api/journeys/${variant.id}/composition`);
    expect(composed.body).toMatchObject({
      errorCount: 0,
      programId: variant.programId,
      fields: [
        { pointer: "/workflows/0/steps/0/timeout", from: "v", change: "added", source: { file: overlay } },
      ],
    });
    expect(composed.body.text).toContain("timeout: 1000");
    const texts = [{ path: overlay, text: overlayText("v", path.slice(2), 5) }];
    const checked = await stack.http.post<Composition>(`/api/journeys/${variant.id}/check`, { texts });
    expect(checked.body.text).toContain("timeout: 5");
    expect((await stack.http.post(`/api/journeys/${variant.id}/check`, {})).body).toEqual(composed.body);
    await storeDocument(stack, { path: overlay, text: overlayText("v", path.slice(2), 7), baseVersion: 1 });
    const old = await stack.http.get<Composition>(`/api/journeys/${variant.id}/composition?version=1`);
    expect(old.body).toEqual(composed.body);
  });
});

describe("a description", () => {
  it("is bound to the service that was scanned from the same bytes, and stays when either moves on", async () => {
    const path = `${randomUUID()}.yaml`;
    const text = `openapi: 3.1.0\ninfo: { title: "${path}", version: "1" }\npaths: {}\n`;
    const hash = createHash("sha256").update(text).digest("hex");
    const payload = scanPayload({ serviceName: "bound" });
    const { id } = await storeDocument(stack, { path, text });
    expect((await read(id)).binding).toBeNull();
    const { body } = await ingest(stack, { ...payload, spec: { ...payload.spec, hash } });
    await waitForRun(stack, body.scanRunId);
    const binding = {
      serviceId: body.serviceId,
      serviceName: "bound",
      pathPrefix: "",
      how: "spec-hash",
      newerScanRunId: null,
    };
    expect((await read(id)).binding).toEqual(binding);
    await storeDocument(stack, { path, text: `${text}# more\n`, baseVersion: 1 });
    const later = await ingest(stack, scanPayload({ serviceName: "bound", seed: "other" }));
    await waitForRun(stack, later.body.scanRunId);
    expect((await read(id)).binding).toEqual(binding);
  });

  it("gives its operations to a journey, which compiles for an environment too", async () => {
    const [api, path] = [`t/${randomUUID()}.yaml`, newJourneyPath()];
    const description = `openapi: 3.1.0
info: { title: Pings, version: "1" }
servers: [{ url: "https://pings.example" }]
paths: { /ping: { get: { operationId: ping, responses: { "200": { description: ok } } } } }
`;
    const journey = journeyText("Ping")
      .replace(
        "sourceDescriptions: []",
        `sourceDescriptions: [{ name: pings, type: openapi, url: ${api.slice(2)} }]`,
      )
      .replace(/x-operation: .*/, "operationId: ping");
    const alone = await storeDocument(stack, { path, text: journey });
    expect(alone.problems).toMatchObject([{ code: "missing-source" }]);
    const { affected } = await storeDocument(stack, { path: api, text: description });
    expect(affected).toMatchObject([
      {
        path,
        before: { errorCount: 1 },
        after: { errorCount: 0, programId: expect.stringMatching(/^sha256:/) },
      },
    ]);
    const servers = { pings: "https://staging.example" };
    const environment = await stack.http.post<{ id: string }>("/api/environments", {
      name: randomUUID(),
      servers,
    });
    const check = async (body: object, key = stack.apiKey) =>
      stack.http.post<{ errorCount: number; programId: string }>(`/api/journeys/${alone.id}/check`, body, {
        key,
      });
    const here = await check({});
    const there = await check({ environmentId: environment.body.id });
    expect([here.body.errorCount, there.body.errorCount]).toEqual([0, 0]);
    expect(here.body.programId).toBe(affected[0]?.after.programId);
    expect(there.body.programId).not.toBe(here.body.programId);
    expect((await check({ environmentId: alone.id })).status).toBe(404);
    const reader = await createKey(stack, ["journeys:read"]);
    expect((await check({ environmentId: environment.body.id }, reader)).status).toBe(403);
  });
});

describe("a key that is limited to one journey", () => {
  it("reads and changes that one alone, and can't create another", async () => {
    const [path, other] = [newJourneyPath(), newJourneyPath()];
    const { id } = await storeDocument(stack, { path, text: journeyText("Mine") });
    const { id: otherId } = await storeDocument(stack, { path: other, text: journeyText("Other") });
    const scopes = ["journeys:read", "journeys:write"].map((permission) => ({ permission, workflowId: id }));
    const key = await createKey(stack, scopes);
    const statusOf = async (method: string, url: string, body?: unknown) =>
      (await stack.http.request(method, url, { key, body })).status;
    const changes = (target: string, baseVersion: number | null) => ({
      changes: [{ path: target, text: journeyText("Changed"), baseVersion }],
    });
    expect(await statusOf("GET", `/api/journeys/${id}`)).toBe(200);
    expect(await statusOf("GET", `/api/journeys/${otherId}`)).toBe(403);
    expect(await statusOf("GET", "/api/journeys")).toBe(403);
    expect(await statusOf("POST", "/api/journey-changesets", changes(path, 1))).toBe(201);
    expect(await statusOf("POST", "/api/journey-changesets", changes(other, 1))).toBe(403);
    expect(await statusOf("POST", "/api/journey-changesets", changes(newJourneyPath(), null))).toBe(403);
    expect(await statusOf("POST", `/api/journeys/${id}/check`, {})).toBe(200);
    const texts = [{ path, text: overlayText("v", other.slice(2)) }];
    expect(await statusOf("POST", `/api/journeys/${id}/check`, { texts })).toBe(403);
    const keyOfAll = await createKey(stack, [{ permission: "journeys:read", resourceType: "workflow" }]);
    const checked = await stack.http.post(`/api/journeys/${id}/check`, { texts }, { key: keyOfAll });
    expect(checked.status).toBe(200);
  });
});
