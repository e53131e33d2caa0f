import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sourceHeadersOf } from "@waymark/shared/scans/source/headers.ts";
import { ofSourceFields } from "@waymark/shared/scans/source/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const SCAN = ["scans:create", "services:create", "services:update", "endpoints:write"];
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ queue: "postgres" });
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Sends a body as it is. */
function post(
  body: string | Buffer,
  headers: Record<string, string> = {},
  key: string | null = stack.apiKey,
) {
  return stack.http.post("/api/scans/ingest", body, { key, headers });
}

function errorOf(answer: { body: unknown }) {
  return (answer.body as { error: { code: string; message: string; details?: { path: string }[] } }).error;
}

describe("POST /api/scans/ingest", () => {
  it("responds with 201 with a ScanIngestionResult", async () => {
    const answer = await ingest(stack, scanPayload({ endpoints: 2, findings: 1 }));
    expect(answer.status).toBe(201);
    const uuid = expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(answer.body).toEqual({
      scanRunId: uuid,
      serviceId: uuid,
      status: "accepted",
      endpointCount: 2,
      findingCount: 1,
      unchanged: false,
      resultUrl: `${stack.api.baseUrl}/scan-runs/${answer.body.scanRunId}`,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it("stores service, spec and caller with the run", async () => {
    const { body } = await ingest(stack, scanPayload({ serviceName: "kept" }));
    const [key] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE created_by IS NULL");
    expect(await waitForRun(stack, body.scanRunId)).toMatchObject({
      id: body.scanRunId,
      serviceId: body.serviceId,
      serviceName: "kept",
      spec: { hash: "0123456789abcdef".repeat(4), format: "openapi", version: "1.2.3", title: "Orders" },
      createdByKeyId: key?.id,
      createdAt: body.createdAt,
    });
  });

  it("stores the source of the headers with the run, also for a body that is known", async () => {
    const payload = JSON.stringify(scanPayload({ serviceName: "with a source" }));
    const source = {
      branch: "someone:größe",
      commit: "c0ffee1",
      url: "https://ci.example/builds/7",
      pullRequest: "812",
      pullRequestUrl: "https://git.example/acme/shop/pull/812",
      baseBranch: "main",
      defaultBranch: "main",
      repository: "https://git.example/acme/shop",
      author: "Mira Žák",
    };
    const none = ofSourceFields(() => null);
    const runOf = async (headers: Record<string, string>) => {
      const answer = await post(payload, headers);
      return waitForRun(stack, (answer.body as { scanRunId: string }).scanRunId);
    };
    expect(await runOf(sourceHeadersOf(source))).toMatchObject({ source });
    expect(await runOf({ "waymark-branch": "main" })).toMatchObject({
      source: { ...none, branch: "main" },
    });
    // A commit in capital letters is the same commit, and lengths are in characters.
    const branch = "\u{1f600}".repeat(500);
    const unusual = { "waymark-branch": encodeURIComponent(branch), "waymark-commit": "C0FFEE1" };
    expect(await runOf(unusual)).toMatchObject({ source: { ...none, branch, commit: "c0ffee1" } });
    expect(await runOf({})).toMatchObject({ source: null });
  });

  it.each([
    ["waymark-branch", "%e0%a4"],
    ["waymark-branch", "a%0Ab"],
    ["waymark-branch", "x".repeat(501)],
    ["waymark-commit", "main"],
    ["waymark-build-url", "javascript:alert(1)"],
    ["waymark-build-url", "https://ci:password@ci.example/builds/7"],
    ["waymark-build-url", `https://ci.example/${"x".repeat(2_000)}`],
    ["waymark-pull-request", "812/merge"],
    ["waymark-author", "mira%40shop.example"],
  ])("responds with 400 to the header %s: %s", async (name, value) => {
    const answer = await post(JSON.stringify(scanPayload({})), { [name]: value });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(name);
  });

  it.each([
    ["a missing field", { service: { name: "x" } }, ["spec", "endpoints", "findings"]],
    ["an unknown field", { ...scanPayload({}), extra: 1 }, [""]],
    ["an organization identifier", { ...scanPayload({}), organizationId: "x" }, [""]],
    ["2001 endpoints", scanPayload({ endpoints: 2001 }), ["endpoints"]],
    ["501 findings", scanPayload({ findings: 501 }), ["findings"]],
    ["an array", [], [""]],
  ])("responds with 400 and the position to %s", async (_name, payload, places) => {
    const answer = await post(JSON.stringify(payload));
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe("validation_failed");
    expect(errorOf(answer).details?.map((detail) => detail.path)).toEqual(places);
  });

  it.each([
    ["a cut-off body", '{"service":'],
    ["no JSON", "hello"],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ])("responds with 400 malformed_json to %s, without quoting it", async (_name, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe("malformed_json");
    expect(errorOf(answer).message).not.toContain("hello");
  });

  it("responds with 400 to an empty body and to __proto__", async () => {
    expect((await post("")).status).toBe(400);
    expect((await post('{"__proto__": {"x": 1}}')).status).toBe(400);
  });

  it("responds to a body with thousands of faults in a few kilobytes", async () => {
    const wrong = { method: 1, path: 2, operationId: 3, tags: 4, summary: 5 };
    const answer = await post(JSON.stringify({ ...scanPayload({}), endpoints: Array(2000).fill(wrong) }));
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).toHaveLength(20);
    expect(JSON.stringify(answer.body).length).toBeLessThan(4096);
  });

  it("handles JSON that is nested 200,000 deep", async () => {
    const answer = await post(`{"service":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
    expect(answer.status).toBe(400);
  });

  it.each([
    ["no Authorization header", {}, "missing_credentials"],
    ["another scheme", { authorization: "Basic abc" }, "missing_credentials"],
    ["junk", { authorization: "Bearer junk" }, "invalid_api_key"],
  ])("responds with 401 to %s", async (_name, headers, code) => {
    const answer = await post("not even read", headers, null);
    expect(answer.status).toBe(401);
    expect(errorOf(answer).code).toBe(code);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("accepts the scheme's name in any case", async () => {
    const answer = await post(
      JSON.stringify(scanPayload({})),
      { authorization: `bEaReR ${stack.apiKey}` },
      null,
    );
    expect(answer.status).toBe(201);
  });

  it("responds with 401 to a key that is well formed but unknown, revoked or expired", async () => {
    const revoked = await createKey(stack, SCAN, { revoked: true });
    const expired = await createKey(stack, SCAN, { expiresAt: new Date(Date.now() - 1000) });
    const unknown = await createKey(stack, SCAN, { stored: false });
    const body = JSON.stringify(scanPayload({}));
    expect(errorOf(await post(body, {}, revoked)).code).toBe("api_key_revoked");
    expect(errorOf(await post(body, {}, expired)).code).toBe("api_key_expired");
    expect(errorOf(await post(body, {}, unknown)).code).toBe("invalid_api_key");
  });

  it.each(SCAN)("responds with 403 to a key without %s if it is needed, and names it", async (missing) => {
    const key = await createKey(
      stack,
      SCAN.filter((permission) => permission !== missing),
    );
    const serviceName = `needs ${missing}`;
    if (missing === "services:update") await ingest(stack, scanPayload({ serviceName }));
    const answer = await post(JSON.stringify(scanPayload({ serviceName, seed: "b" })), {}, key);
    expect(answer.status).toBe(403);
    expect(errorOf(answer)).toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining(missing),
    });
  });

  it("needs services:create for a new service only, services:update for a known one only", async () => {
    const creator = await createKey(stack, ["scans:create", "services:create", "endpoints:write"]);
    const updater = await createKey(stack, ["scans:create", "services:update", "endpoints:write"]);
    const body = JSON.stringify(scanPayload({ serviceName: "created then updated" }));
    expect((await post(body, {}, updater)).status).toBe(403);
    expect((await post(body, {}, creator)).status).toBe(201);
    expect((await post(body, {}, creator)).status).toBe(403);
    expect((await post(body, {}, updater)).status).toBe(201);
  });

  it("needs endpoints:write only when endpoints are sent", async () => {
    const key = await createKey(
      stack,
      SCAN.filter((permission) => permission !== "endpoints:write"),
    );
    const without = scanPayload({ serviceName: "findings only", endpoints: 0, findings: 2 });
    expect((await post(JSON.stringify(without), {}, key)).status).toBe(201);
  });

  it("needs the same permissions for a known body as for a new one", async () => {
    const payload = scanPayload({ serviceName: "known" });
    const { body } = await ingest(stack, payload);
    await waitForRun(stack, body.scanRunId);
    const raw = JSON.stringify(payload);
    const [weak, elsewhere, here] = await Promise.all([
      createKey(stack, ["scans:create", "services:update"]),
      createKey(
        stack,
        SCAN.map((permission) => ({ permission, serviceId: "11111111-1111-1111-1111-111111111111" })),
      ),
      createKey(
        stack,
        SCAN.map((permission) => ({ permission, serviceId: body.serviceId })),
      ),
    ]);
    expect((await post(raw, {}, weak)).status).toBe(403);
    expect((await post(raw, {}, elsewhere)).status).toBe(403);
    const allowed = await post(raw, {}, here);
    expect(allowed.body).toMatchObject({ status: "completed", unchanged: true });
  });

  it("accepts gzip bodies, and limits their decompressed size", async () => {
    const answer = await post(gzipSync(JSON.stringify(scanPayload({ serviceName: "zipped" }))), {
      "content-encoding": "gzip",
    });
    expect(answer.status).toBe(201);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
    expect(bomb.byteLength).toBeLessThan(100_000);
    expect((await post(bomb, { "content-encoding": "gzip" })).status).toBe(413);
    expect((await post(Buffer.from("not gzip"), { "content-encoding": "gzip" })).status).toBe(400);
  });

  it("responds with 415 to other encodings and media types", async () => {
    expect((await post("x", { "content-encoding": "br" })).status).toBe(415);
    expect((await post("<a/>", { "content-type": "application/xml" })).status).toBe(415);
  });

  it("accepts a body with everything at its limits, and refuses one of more than 10 MiB with 413", async () => {
    const endpoint = {
      method: "OPTIONS",
      path: "p".repeat(1000),
      operationId: "o".repeat(200),
      tags: Array(20).fill("t".repeat(40)),
      summary: "s".repeat(300),
    };
    const finding = {
      code: "c".repeat(120),
      severity: "critical",
      message: "m".repeat(500),
      method: "OPTIONS",
      path: "p".repeat(1000),
    };
    const full = {
      service: { name: "n".repeat(120) },
      spec: { hash: "h".repeat(64), format: "openapi", version: "v".repeat(80), title: "t".repeat(200) },
      endpoints: Array(2000).fill(endpoint),
      findings: Array(500).fill(finding),
    };
    const answer = await post(JSON.stringify(full));
    expect(answer.status).toBe(201);
    const run = await waitForRun(stack, (answer.body as { scanRunId: string }).scanRunId);
    expect(run.status).toBe("completed");
    expect((await post(" ".repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it("responds with 404 to an unknown path, as an ErrorResponse", async () => {
    const answer = await stack.http.post("/api/nothing", {});
    expect(answer.status).toBe(404);
    expect(errorOf(answer)).toMatchObject({ code: "not_found", message: expect.any(String) });
  });
});

describe("Scanned-At", () => {
  it.each(["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "1969-12-31T23:59:59Z", "yesterday"])(
    "is refused as %s",
    async (scannedAt) => {
      const answer = await post(JSON.stringify(scanPayload({})), { "scanned-at": scannedAt });
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details?.map((detail) => detail.path)).toEqual(["header scanned-at"]);
    },
  );

  it.each([
    ["2020-01-31t12:00:00z", "2020-01-31T12:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ])("is read in every form of RFC 3339: %s", async (scannedAt, expected) => {
    const body = JSON.stringify(scanPayload({ serviceName: `scanned at ${scannedAt}` }));
    const { status, body: run } = await post(body, { "scanned-at": scannedAt });
    expect(status).toBe(201);
    const { scanRunId, serviceId } = run as { scanRunId: string; serviceId: string };
    await waitForRun(stack, scanRunId);
    const service = await stack.http.get(`/api/services/${serviceId}`);
    expect(service.body).toMatchObject({ lastScannedAt: expected });
  });

  it("with the earliest possible time leaves its service readable", async () => {
    const body = JSON.stringify(scanPayload({ serviceName: "long ago" }));
    const { status, body: run } = await post(body, { "scanned-at": "1970-01-01T00:00:00Z" });
    expect(status).toBe(201);
    const { scanRunId, serviceId } = run as { scanRunId: string; serviceId: string };
    await waitForRun(stack, scanRunId);
    const service = await stack.http.get(`/api/services/${serviceId}`);
    expect(service).toMatchObject({ status: 200, body: { lastScannedAt: "1970-01-01T00:00:00.000Z" } });
  });
});

describe("Idempotency-Key", () => {
  it("gives the first response again to the same body, and 422 to another", async () => {
    const body = JSON.stringify(scanPayload({ serviceName: "idempotent" }));
    const headers = { "idempotency-key": "build-17" };
    const first = await post(body, headers);
    const again = await post(body, headers);
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    const other = await post(JSON.stringify(scanPayload({ serviceName: "idempotent", seed: "x" })), headers);
    expect(other.status).toBe(422);
    expect(errorOf(other).code).toBe("idempotency_key_reused");
  });

  it("creates one run for 50 concurrent identical requests", async () => {
    const body = JSON.stringify(scanPayload({ serviceName: "fifty" }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(body, { "idempotency-key": "all-at-once" })),
    );
    const created = answers.filter((answer) => answer.status === 201);
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map((answer) => (answer.body as { scanRunId: string }).scanRunId)).size).toBe(1);
    const after = await post(body, { "idempotency-key": "all-at-once" });
    expect(after.body).toEqual(created[0]?.body);
  });

  it("lets a key that may create but not update repeat its creation, and nothing more", async () => {
    const creator = await createKey(stack, ["scans:create", "services:create", "endpoints:write"]);
    const body = JSON.stringify(scanPayload({ serviceName: "created once" }));
    expect((await post(body, { "idempotency-key": "c1" }, creator)).status).toBe(201);
    expect((await post(body, { "idempotency-key": "c1" }, creator)).status).toBe(201);
    expect((await post(body, { "idempotency-key": "c2" }, creator)).status).toBe(403);
  });

  it("of another team's scan is refused as reused, not as a missing permission", async () => {
    const headers = { "idempotency-key": "build-42" };
    const theirs = JSON.stringify(scanPayload({ serviceName: "another team's" }));
    expect((await post(theirs, headers)).status).toBe(201);
    const bound = { resourceConstraints: { serviceNames: ["our own"] } };
    const key = await createKey(
      stack,
      ["scans:create", "services:create", "endpoints:write"].map((permission) => ({ permission, ...bound })),
    );
    const ours = await post(JSON.stringify(scanPayload({ serviceName: "our own" })), headers, key);
    expect([ours.status, errorOf(ours).code]).toEqual([422, "idempotency_key_reused"]);
    // Their body, sent with our key, doesn't get their response either.
    expect((await post(theirs, headers, key)).status).toBe(403);
  });

  it("doesn't store a refusal under its Idempotency-Key", async () => {
    const headers = { "idempotency-key": "refused-first" };
    expect((await post("{}", headers)).status).toBe(400);
    expect((await post(JSON.stringify(scanPayload({})), headers)).status).toBe(201);
  });

  it.each(["", "a b", "é".repeat(3), "x".repeat(256)])("is refused as %j with 400", async (key) => {
    const answer = await post(JSON.stringify(scanPayload({})), { "idempotency-key": encodeHeader(key) });
    expect(answer.status).toBe(400);
  });
});

/** Header values are bytes: characters beyond Latin-1 are sent as UTF-8. */
function encodeHeader(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}
