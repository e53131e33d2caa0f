import { randomUUID } from "node:crypto";
import type { JourneyChangesetResult, JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { describedService } from "@waymark/test-support/described-service.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Sent {
  key?: string;
  headers?: Record<string, string>;
  dryRun?: boolean;
}

const send = (change: object, { key = stack.apiKey, headers = {}, dryRun = false }: Sent = {}) =>
  stack.http.post<JourneyChangesetResult>(
    "/api/journey-changesets",
    { dryRun, changes: [change] },
    { key, headers },
  );
const described = (scanRunId: string, more: object = {}) => ({
  path: `${randomUUID()}.openapi.json`,
  baseVersion: null,
  description: { scanRunId },
  ...more,
});
const detailOf = async (id: string) =>
  (await stack.http.get<JourneyDocumentDetail>(`/api/journeys/${id}`)).body;
const textOf = async (id: string, version = 1) =>
  (await stack.http.get<{ text: string }>(`/api/journeys/${id}/versions/${version}`)).body.text;
const descriptionOf = async (run: string) => (await stack.http.get(`/api/scan-runs/${run}/description`)).text;
const serviceOf = async (run: string) =>
  (await stack.http.get<ScanRun>(`/api/scan-runs/${run}`)).body.serviceId;

async function store(change: ReturnType<typeof described>): Promise<string> {
  const { status, body } = await send(change);
  expect(status).toBe(201);
  return body.documents[0]?.id ?? "";
}

describe("a document that is made from the description of a scan run", () => {
  it("has its bytes, and is bound to the run's service", async () => {
    const run = await describedService(stack).scan({ required: ["page"] });
    const id = await store(described(run));
    expect(await textOf(id)).toBe(await descriptionOf(run));
    expect(await detailOf(id)).toMatchObject({
      kind: "openapi",
      errorCount: 0,
      binding: { serviceId: await serviceOf(run), how: "description", pathPrefix: "", newerScanRunId: null },
    });
  });

  it("keeps its text when the service is scanned again, says that there is a newer one, and takes it when asked", async () => {
    const { scan } = describedService(stack);
    const first = await scan();
    const change = described(first);
    const id = await store(change);
    const second = await scan({ required: ["page"] });
    expect(await textOf(id)).toBe(await descriptionOf(first));
    expect(await detailOf(id)).toMatchObject({ headVersion: 1, binding: { newerScanRunId: second } });
    const taken = await send({ ...change, baseVersion: 1, description: { scanRunId: second } });
    expect(taken.body).toMatchObject({ documents: [{ version: 2, unchanged: false }] });
    expect(await textOf(id, 2)).toBe(await descriptionOf(second));
    expect(await detailOf(id)).toMatchObject({ headVersion: 2, binding: { newerScanRunId: null } });
    const again = await send({ ...change, baseVersion: 1, description: { scanRunId: second } });
    expect(again.body).toMatchObject({ documents: [{ version: 2, unchanged: true }] });
    const held = await scan({ required: ["other"], headers: { "waymark-promote": "false" } });
    expect(held).not.toBe(second);
    expect(await detailOf(id)).toMatchObject({ binding: { newerScanRunId: null } });
  });

  it("stays when the run is deleted, and a repeated request gets the first response", async () => {
    const run = await describedService(stack).scan();
    const change = described(run);
    const headers = { "idempotency-key": randomUUID() };
    const { body } = await send(change, { headers });
    const text = await descriptionOf(run);
    await query(stack, "DELETE FROM scan_run_descriptions WHERE scan_run_id = $1", [run]);
    await query(
      stack,
      "DELETE FROM descriptions d WHERE NOT EXISTS (SELECT FROM scan_run_descriptions l WHERE l.description_hash = d.hash)",
    );
    expect((await send(change, { headers })).body).toEqual(body);
    expect(await textOf(body.documents[0]?.id ?? "")).toBe(text);
    expect(errorOf(await send(described(run)))).toMatchObject({ status: 404, code: "description_missing" });
  });

  it("stays bound to the service that somebody chose by hand", async () => {
    const run = await describedService(stack).scan();
    const other = await serviceOf(await describedService(stack).scan());
    const change = described(run);
    const id = await store(change);
    await stack.http.request("PUT", `/api/journeys/${id}/binding`, { body: { serviceId: other } });
    const text = `${await descriptionOf(run)} `;
    expect((await send({ path: change.path, baseVersion: 1, text })).status).toBe(201);
    expect((await send({ ...change, baseVersion: 2 })).status).toBe(201);
    expect(await detailOf(id)).toMatchObject({
      headVersion: 3,
      binding: { serviceId: other, how: "manual" },
    });
  });

  it("is for keys that may read the endpoints of its service, and shows no other whether the run exists", async () => {
    const run = await describedService(stack).scan();
    const other = await describedService(stack).scan();
    const keyFor = (serviceId?: string) =>
      createKey(stack, [
        "journeys:write",
        "journeys:read",
        { permission: "endpoints:read", ...(serviceId !== undefined && { serviceId }) },
      ]);
    const narrow = await keyFor(await serviceOf(run));
    expect((await send(described(run), { key: narrow })).status).toBe(201);
    const refusals = [
      await send(described(other), { key: narrow }),
      await send(described(randomUUID()), { key: narrow }),
      await send(described(run), { key: await createKey(stack, ["journeys:write", "journeys:read"]) }),
    ].map((answer) => errorOf(answer));
    expect(refusals.map(({ status, code }) => [status, code])).toEqual(
      Array(3).fill([403, "permission_denied"]),
    );
    expect(errorOf(await send(described(randomUUID())))).toMatchObject({ status: 404, code: "not_found" });
  });

  it("is checked without being stored by a dry run", async () => {
    const run = await describedService(stack).scan();
    const { status, body } = await send(described(run), { dryRun: true });
    expect({ status, documents: body.documents }).toMatchObject({
      status: 200,
      documents: [{ kind: "openapi", errorCount: 0, version: 1 }],
    });
  });
});

it.each([
  ["neither a text nor a description", {}],
  ["both", { text: "{}", description: { scanRunId: randomUUID() } }],
  ["both, to archive the document", { text: null, description: { scanRunId: randomUUID() } }],
])("a change with %s is refused", async (_, more) => {
  const answer = errorOf(await send({ path: "a.openapi.json", baseVersion: null, ...more }));
  expect(answer).toMatchObject({ status: 400, code: "validation_failed" });
  expect(answer.details).toMatchObject([
    { path: "changes[0]", message: "must have either text or description" },
  ]);
});
