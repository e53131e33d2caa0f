import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { readAllItems, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const SCAN = ["scans:create", "services:create", "services:update", "endpoints:write"];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ queue: "postgres" });
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Form {
  compressed: boolean;
  hasIdempotencyKey: boolean;
  boundBy: "nothing" | "serviceNames" | "serviceId";
}

const FORMS: Form[] = [true, false].flatMap((compressed) =>
  [true, false].flatMap((hasIdempotencyKey) =>
    (["nothing", "serviceNames", "serviceId"] as const).map((boundBy) => ({
      compressed,
      hasIdempotencyKey,
      boundBy,
    })),
  ),
);

async function keyOf(form: Form, serviceName: string): Promise<string> {
  if (form.boundBy === "nothing") return createKey(stack, SCAN);
  if (form.boundBy === "serviceNames") {
    const resourceConstraints = { serviceNames: [serviceName] };
    return createKey(
      stack,
      SCAN.map((permission) => ({ permission, resourceConstraints })),
    );
  }
  const serviceId = randomUUID();
  await query(stack, "INSERT INTO services (organization_id, id, name) VALUES ($1, $2, $3)", [
    stack.organizationId,
    serviceId,
    serviceName,
  ]);
  return createKey(
    stack,
    SCAN.filter((permission) => permission !== "services:create").map((permission) => ({
      permission,
      serviceId,
    })),
  );
}

function sender(form: Form, key: string) {
  return async (payload: ScanIngestionPayload, idempotencyKey = randomUUID()) => {
    const json = JSON.stringify(payload);
    const headers = {
      ...(form.compressed ? { "content-encoding": "gzip" } : {}),
      ...(form.hasIdempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
    };
    const answer = await stack.http.post<{ scanRunId: string; status: string; unchanged: boolean }>(
      "/api/scans/ingest",
      form.compressed ? gzipSync(json) : json,
      { key, headers },
    );
    expect(answer.body).toMatchObject({ endpointCount: payload.endpoints.length });
    return answer.body;
  };
}

async function readBack(scanRunId: string) {
  await waitForRun(stack, scanRunId);
  return {
    endpoints: await readAllItems(stack, scanRunId, "endpoints"),
    findings: await readAllItems(stack, scanRunId, "findings"),
  };
}

describe.each(FORMS)(
  "a scan, compressed: $compressed, Idempotency-Key: $hasIdempotencyKey, key bound by $boundBy",
  (form) => {
    it("costs what it changed: new, evolved, with another description, repeated", async () => {
      const serviceName = randomUUID();
      const send = sender(form, await keyOf(form, serviceName));
      const first = scanPayload({ serviceName, seed: serviceName, endpoints: 120, findings: 20 });
      const evolved = structuredClone(first);
      evolved.endpoints.splice(60, 1);
      Object.assign(evolved.endpoints[7] ?? {}, { summary: "changed" });
      const described = { ...evolved, spec: { ...evolved.spec, hash: "f".repeat(64), title: "another" } };

      const accepted = await send(first);
      expect(accepted).toMatchObject({ status: "accepted", unchanged: false });
      expect(await readBack(accepted.scanRunId)).toEqual({
        endpoints: first.endpoints,
        findings: first.findings,
      });

      const second = await send(evolved);
      expect(second).toMatchObject({ status: "accepted", unchanged: false });
      expect(await readBack(second.scanRunId)).toEqual({
        endpoints: evolved.endpoints,
        findings: evolved.findings,
      });

      expect(await send(described)).toMatchObject({ status: "completed", unchanged: true });
      expect(await send(described)).toMatchObject({ status: "completed", unchanged: true });
      // The stored content in another order: complete at once, and different from the current one.
      const back = await send(first);
      expect(back).toMatchObject({ status: "completed", unchanged: false });
      expect(await readBack(back.scanRunId)).toEqual({
        endpoints: first.endpoints,
        findings: first.findings,
      });
    });
  },
);

it("stores only the changed chunks of an evolved scan", async () => {
  const serviceName = randomUUID();
  const send = sender(
    { compressed: true, hasIdempotencyKey: true, boundBy: "nothing" },
    await createKey(stack, SCAN),
  );
  const payload = scanPayload({ serviceName, seed: serviceName, endpoints: 2000, findings: 500 });
  const rows = async () =>
    (
      await query<{ total: number }>(
        stack,
        "SELECT ((SELECT count(*) FROM chunk_endpoints) + (SELECT count(*) FROM chunk_findings))::int AS total",
      )
    )[0]?.total ?? 0;
  await waitForRun(stack, (await send(payload)).scanRunId);
  const before = await rows();
  for (const index of [3, 500, 900, 1400, 1999])
    Object.assign(payload.endpoints[index] ?? {}, { summary: "changed" });
  await waitForRun(stack, (await send(payload)).scanRunId);
  const stored = (await rows()) - before;
  expect(stored).toBeGreaterThanOrEqual(5);
  // Five chunks of 32 items at most.
  expect(stored).toBeLessThanOrEqual(5 * 32);
});

it("treats the same scan with another compression and the same Idempotency-Key as a repetition", async () => {
  const payload = scanPayload({ serviceName: randomUUID() });
  const json = JSON.stringify(payload);
  const post = (body: Buffer | string, headers: Record<string, string>) =>
    stack.http.post<{ scanRunId: string; error?: { code: string } }>("/api/scans/ingest", body, {
      key: stack.apiKey,
      headers: { "idempotency-key": payload.service.name, ...headers },
    });
  const first = await post(gzipSync(json, { level: 1 }), { "content-encoding": "gzip" });
  expect(first).toMatchObject({ status: 201 });
  const same = { status: 201, body: { scanRunId: first.body.scanRunId } };
  for (const body of [gzipSync(json, { level: 9 }), gzipSync(Buffer.from(` ${json}`))])
    expect(await post(body, { "content-encoding": "gzip" })).toMatchObject(same);
  expect(await post(json, {})).toMatchObject(same);
  const other = await post(JSON.stringify({ ...payload, spec: { ...payload.spec, title: "other" } }), {});
  expect([other.status, other.body.error?.code]).toEqual([422, "idempotency_key_reused"]);
});

it("refuses compressed bytes without Content-Encoding, also those of a known scan", async () => {
  const body = gzipSync(JSON.stringify(scanPayload({ serviceName: randomUUID() })));
  const post = (headers: Record<string, string>) =>
    stack.http.post<{ scanRunId: string }>("/api/scans/ingest", body, { key: stack.apiKey, headers });
  const first = await post({ "content-encoding": "gzip" });
  await waitForRun(stack, first.body.scanRunId);
  expect((await post({})).status).toBe(400);
  expect((await post({ "content-encoding": "gzip" })).body).toMatchObject({
    status: "completed",
    unchanged: true,
  });
});
