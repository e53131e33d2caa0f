import { createHash, randomUUID } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanDescription } from "@waymark/shared/scans/descriptions/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { descriptionOf, reprDigest, scanned } from "@waymark/test-support/descriptions.ts";
import { createHttpClient, type HttpRequest } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  type Stack,
  startApi,
  startStack,
  startWorker,
} from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const put = (path: string, body?: unknown, options: HttpRequest = {}) =>
  stack.http.request<ScanDescription>("PUT", path, { body, ...options });
const get = (path: string, options?: HttpRequest) => stack.http.get(path, options);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const yaml = { "content-type": "application/yaml" };

/** Writes a description as people do. */
function yamlOf({ paths, ...rest }: ReturnType<typeof descriptionOf>): string {
  const lines = Object.entries(paths).map(
    ([path, item]) => `  ${JSON.stringify(path)}: ${JSON.stringify(item)}\n`,
  );
  return `# Written by hand.\nopenapi: ${rest.openapi}\ninfo: ${JSON.stringify(rest.info)}\npaths:\n${lines.join("")}`;
}

async function storedBytes(): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    stack,
    `SELECT (SELECT sum(length(bytes) + 52) FROM description_chunks)::int
       + (SELECT coalesce(sum(16 * cardinality(chunks) + 16 * coalesce(cardinality(canonical_chunks), 0) + 150), 0) FROM descriptions)::int AS bytes`,
  );
  return row?.bytes ?? 0;
}

describe("the description of a scan run", () => {
  it("is read as it was sent, or as canonical JSON", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    const text = yamlOf(descriptionOf(run.endpoints));
    const stored = await put(run.path, text, { headers: yaml });
    expect(stored.status).toBe(201);
    expect(stored.body).toMatchObject({
      scanRunId: run.scanRunId,
      format: "yaml",
      hash: sha256(text),
      bytes: Buffer.byteLength(text),
    });
    const original = await get(run.path);
    expect(original.text).toBe(text);
    expect(original.headers.get("content-type")).toBe("application/yaml; charset=utf-8");
    const canonical = await get(`${run.path}?form=canonical`);
    expect(canonical.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(canonical.body).toEqual(descriptionOf(run.endpoints));
    expect(sha256(canonical.text)).toBe(stored.body.canonicalHash);
  });

  it("is not sent again to a client that has it", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    await put(run.path, descriptionOf(run.endpoints));
    for (const path of [run.path, `${run.path}?form=canonical`]) {
      const { headers } = await get(path);
      const etag = headers.get("etag") ?? "";
      expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
      const same = await get(path, { headers: { "if-none-match": etag } });
      expect({ status: same.status, vary: same.headers.get("vary") }).toEqual({
        status: 304,
        vary: headers.get("vary"),
      });
      expect((await get(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    }
  });

  it("may be sent compressed, and as every media type of descriptions", async () => {
    const types = ["application/json", "application/yaml", "text/yaml", "application/openapi+json"];
    for (const [index, type] of types.entries()) {
      const run = await scanned(stack, { seed: randomUUID() });
      const text = JSON.stringify(descriptionOf(run.endpoints));
      const [coding, body] =
        index % 2 === 0 ? (["gzip", gzipSync(text)] as const) : (["br", brotliCompressSync(text)] as const);
      const headers = { "content-type": type, "content-encoding": coding, "repr-digest": reprDigest(text) };
      expect(await put(run.path, body, { headers })).toMatchObject({ status: 201 });
      expect((await get(run.path)).text).toBe(text);
    }
  });

  it("is stored once: the same again changes nothing, and another one is refused", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    const text = JSON.stringify(descriptionOf(run.endpoints));
    const first = await put(run.path, text);
    expect(first.status).toBe(201);
    expect(await put(run.path, text)).toMatchObject({ status: 200, body: first.body });
    const other = await put(run.path, descriptionOf(run.endpoints, { tags: [] }));
    expect(errorOf(other)).toMatchObject({ status: 409, code: "description_conflict" });
    // The run's endpoints don't matter for that, and are not read.
    const foreign = await put(run.path, descriptionOf(run.endpoints.slice(1)));
    expect(errorOf(foreign)).toMatchObject({ status: 409, code: "description_conflict" });
    expect((await get(run.path)).text).toBe(text);
  });

  it("is the one of two that are sent at once, and both say so", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    const texts = ["a", "a", "b", "b"].map((title) =>
      descriptionOf(run.endpoints, { info: { title, version: "1" } }),
    );
    const answers = await Promise.all(texts.map((text) => put(run.path, text)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 201, 409, 409]);
    const { body } = await get(`${run.path}?form=canonical`);
    expect(texts).toContainEqual(body);
  });

  it("is missing until it is stored", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    expect(errorOf(await get(run.path))).toMatchObject({ status: 404, code: "description_missing" });
  });

  it("must have the operations that are the endpoints of the run, and the response names the differences", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    const [first, ...others] = run.endpoints;
    const description = descriptionOf(others);
    description.paths["/new"] = { get: {} };
    const refused = await put(run.path, description);
    expect(errorOf(refused)).toMatchObject({ status: 409, code: "description_mismatch" });
    expect(refused.body).toMatchObject({
      error: {
        details: [
          { path: "GET /new", message: "is in the description and not in the scan run" },
          {
            path: `${first?.method} ${first?.path}`,
            message: "is in the scan run and not in the description",
          },
        ],
      },
    });
    expect((await get(run.path)).status).toBe(404);
  });

  it("waits for a run that a worker has not stored, as long as the request says", async () => {
    await stack.worker.stop();
    const { body } = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "waiting", seed: randomUUID(), endpoints: 300 }),
    );
    const path = `/api/scan-runs/${body.scanRunId}/description`;
    const { endpoints } = scanPayload({ endpoints: 300 });
    const refused = await put(path, descriptionOf(endpoints));
    expect(errorOf(refused)).toMatchObject({ status: 409, code: "run_not_completed" });
    const waiting = put(`${path}?waitSeconds=20`, descriptionOf(endpoints));
    stack.worker = await startWorker(stack);
    expect(errorOf(await waiting)).toMatchObject({ status: 409, code: "description_mismatch" });
  });
});

describe("a description that the server has", () => {
  it("is stored by its hash for another run of the service, without its text", async () => {
    const seed = randomUUID();
    const first = await scanned(stack, { serviceName: `${seed} a`, seed });
    const text = JSON.stringify(descriptionOf(first.endpoints));
    const headers = { "repr-digest": reprDigest(text) };
    const unknown = await put(first.path, undefined, { headers });
    expect(errorOf(unknown)).toMatchObject({ status: 409, code: "description_unknown" });
    await put(first.path, text, { headers });
    const second = await scanned(stack, { serviceName: `${seed} a`, seed });
    expect(await put(second.path, undefined, { headers })).toMatchObject({ status: 201 });
    expect(await put(second.path, undefined, { headers })).toMatchObject({ status: 200 });
    expect((await get(second.path)).text).toBe(text);
  });

  it("is unknown to whoever knows only its hash, if it is of another service or has other operations", async () => {
    const seed = randomUUID();
    const first = await scanned(stack, { serviceName: `${seed} a`, seed });
    const text = JSON.stringify(descriptionOf(first.endpoints));
    const headers = { "repr-digest": reprDigest(text) };
    await put(first.path, text);
    const elsewhere = await scanned(stack, { serviceName: `${seed} b`, seed });
    const changed = await scanned(stack, { serviceName: `${seed} a`, seed: randomUUID() });
    for (const { path } of [elsewhere, changed]) {
      const refused = await put(path, undefined, { headers });
      expect(errorOf(refused)).toMatchObject({ status: 409, code: "description_unknown" });
    }
    // Its text proves that the sender has it.
    expect((await put(elsewhere.path, text)).status).toBe(201);
  });

  it("is not asked for without a hash, and a hash must be that of the text", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    expect(errorOf(await put(run.path))).toMatchObject({ status: 400 });
    expect(errorOf(await put(run.path, "", { headers: yaml }))).toMatchObject({ status: 400 });
    for (const digest of ["sha-256=abc", "sha-512=:AAAA:", reprDigest("other")]) {
      const refused = await put(run.path, descriptionOf(run.endpoints), {
        headers: { "repr-digest": digest },
      });
      expect(errorOf(refused)).toMatchObject({
        status: 400,
        message: expect.stringContaining("header repr-digest"),
      });
    }
  });
});

describe("the bytes of descriptions", () => {
  it("are stored once: an evolved description takes a tenth of a new one at most", async () => {
    const seed = randomUUID();
    const endpoints = scanPayload({ endpoints: 600, seed }).endpoints;
    const schema = (n: number, change = "") => ({
      type: "object",
      description: `Part ${n} of an order ${change}`,
      properties: Object.fromEntries(
        Array.from({ length: 8 }, (_, p) => [
          `field${p}`,
          { type: "string", description: sha256(`${seed} ${n} ${p}`) },
        ]),
      ),
    });
    const schemas = (change?: string) =>
      Object.fromEntries(
        Array.from({ length: 400 }, (_, n) => [`Part${n}`, schema(n, n % 80 === 0 ? change : "")]),
      );
    const texts = ["", "changed"].map((change) =>
      yamlOf(descriptionOf(endpoints)).concat(
        `components:\n  schemas:\n`,
        Object.entries(schemas(change))
          .map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`)
          .join(""),
      ),
    );
    const sizes = [await storedBytes()];
    for (const text of texts) {
      const run = await scanned(stack, { serviceName: seed, endpoints: 600, seed });
      expect((await put(run.path, text, { headers: yaml })).status).toBe(201);
      sizes.push(await storedBytes());
    }
    const [before = 0, first = 0, second = 0] = sizes;
    expect(first - before).toBeLessThan(Buffer.byteLength(texts[0] ?? ""));
    expect((second - first) / (first - before)).toBeLessThanOrEqual(0.1);
    const elsewhere = await scanned(stack, { serviceName: `${seed} b`, endpoints: 600, seed });
    expect((await put(elsewhere.path, texts[1], { headers: yaml })).status).toBe(201);
    expect(await storedBytes()).toBe(second);
    expect((await get(elsewhere.path)).text).toBe(texts[1]);
  });

  it("count towards the organization's day, and no scan does", async () => {
    const limited = await createHostedOrganization(stack.databaseUrl, "Limited");
    const payloads = ["a", "b"].map((seed) => scanPayload({ serviceName: seed, seed }));
    const [size = 0] = payloads.map((payload) => Buffer.byteLength(JSON.stringify(payload)));
    const texts = payloads.map(({ endpoints }) => JSON.stringify(descriptionOf(endpoints)));
    const bytes = Buffer.byteLength(texts[0] ?? "");
    const env = {
      ORGANIZATION_SCANS_PER_DAY: "2",
      ORGANIZATION_BYTES_PER_DAY: String(2 * size + 2 * bytes - 1),
    };
    await using api = await startApi({ databaseUrl: stack.databaseUrl, env });
    const http = createHttpClient(api.baseUrl, { key: limited.apiKey });
    const paths: string[] = [];
    for (const payload of payloads) {
      const { body } = await http.post<{ scanRunId: string }>("/api/scans/ingest", payload);
      paths.push(`/api/scan-runs/${body.scanRunId}/description?waitSeconds=20`);
    }
    const [first = "", second = ""] = paths;
    expect(await http.request("PUT", first, { body: texts[0] })).toMatchObject({ status: 201 });
    expect(await http.request("PUT", first, { body: texts[0] })).toMatchObject({ status: 200 });
    expect(errorOf(await http.request("PUT", second, { body: texts[1] }))).toMatchObject({
      status: 429,
      message: expect.stringContaining("bytes of accepted scans"),
    });
    const { body: limits } = await http.get<{ organization: object }>("/api/limits");
    expect(limits.organization).toMatchObject({
      scansPerDay: { used: 2 },
      bytesPerDay: { used: 2 * size + bytes },
    });
  });
});

describe("a description that is refused", () => {
  it.each([
    ["no JSON and no YAML", "{", 400, "validation_failed"],
    [
      "aliases that explode",
      `openapi: 3.0.0\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(9)}]\nc: &c [${"*b,".repeat(9)}]\nd: &d [${"*c,".repeat(9)}]\ne: &e [${"*d,".repeat(9)}]\nf: &f [${"*e,".repeat(9)}]\ng: [${"*f,".repeat(9)}]\n`,
      400,
      "validation_failed",
    ],
    ["a cycle", "openapi: 3.0.0\nx: &x { y: *x }\n", 400, "validation_failed"],
    ["a million brackets", `{"openapi":"3.0.0","x":${"[".repeat(1_000_000)}`, 400, "validation_failed"],
    [
      "a million brackets that are closed",
      `{"openapi":"3.0.0","x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`,
      400,
      "validation_failed",
    ],
    ["a key twice", '{"openapi":"3.0.0","paths":{},"paths":{}}', 400, "validation_failed"],
    [
      "a password",
      '{"openapi":"3.0.0","servers":[{"url":"https://u:p@example.com"}]}',
      400,
      "validation_failed",
    ],
    ["too many bytes", " ".repeat(21 * 1024 * 1024), 413, "payload_too_large"],
  ])("has a clear error and leaves the server as it was: %s", async (_, text, status, code) => {
    const run = await scanned(stack, { seed: randomUUID() });
    const refused = await put(run.path, text, { headers: yaml });
    expect(errorOf(refused)).toMatchObject({ status, code });
    expect(refused.text.length).toBeLessThan(5_000);
    expect((await put(run.path, descriptionOf(run.endpoints))).status).toBe(201);
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ["br", brotliCompressSync(Buffer.alloc(64 * 1024 * 1024))],
  ])("is one that is too large only when its %s is decoded", async (coding, body) => {
    const run = await scanned(stack, { seed: randomUUID() });
    const refused = await put(run.path, body, { headers: { ...yaml, "content-encoding": coding } });
    expect(errorOf(refused)).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  it.each([
    [
      "an empty text",
      " ",
      "the text can't be read: description is empty: there is no OpenAPI description in it.",
    ],
    [
      "wrong YAML",
      "openapi: 3.0.0\n  a: [",
      "the text can't be read: description:1:10 is neither JSON nor YAML: Nested mappings are not allowed in compact mappings.",
    ],
    ["another document", "a: 1", "the text must be a description of OpenAPI 3 or Swagger 2.0."],
    ["paths that are no object", '{"openapi":"3.0.0","paths":1}', "/paths must be an object (line 1)."],
  ])("says why in a sentence: %s", async (_, text, reason) => {
    const run = await scanned(stack, { seed: randomUUID() });
    const { message } = errorOf(await put(run.path, text, { headers: yaml }));
    expect(message).toBe(`The description can't be stored: ${reason}`);
  });

  it("is one of an unknown type or coding, or damaged", async () => {
    const run = await scanned(stack, { seed: randomUUID() });
    for (const [headers, status] of [
      [{ "content-type": "text/html" }, 415],
      [{ ...yaml, "content-encoding": "zstd" }, 415],
      [{ ...yaml, "content-encoding": "br" }, 400],
      [{ ...yaml, "content-encoding": "gzip" }, 400],
    ] as const)
      expect((await put(run.path, "openapi: 3.0.0", { headers })).status).toBe(status);
  });
});

describe("the keys that may store and read a description", () => {
  it("are the run's own key, which may read nothing, and those with the permissions for its service", async () => {
    const scans = ["scans:create", "services:create", "services:update", "endpoints:write"];
    const payload = scanPayload({ serviceName: randomUUID(), seed: randomUUID(), endpoints: 0 });
    const scanner = await createKey(stack, ["scans:create", "services:create"]);
    const other = await createKey(stack, ["scans:create", "services:create"]);
    const writer = await createKey(stack, scans);
    const sent = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", payload, { key: scanner });
    const path = `/api/scan-runs/${sent.body.scanRunId}/description?waitSeconds=20`;
    const text = JSON.stringify(descriptionOf([]));
    for (const [key, status] of [
      [other, 403],
      [scanner, 201],
      [writer, 200],
    ] as const)
      expect(await put(path, text, { key })).toMatchObject({ status });
    expect((await get(path.split("?")[0] ?? "", { key: scanner })).status).toBe(403);
  });

  it("are checked before the body is read", async () => {
    const reader = await createKey(stack, ["endpoints:read"]);
    const run = await scanned(stack, { seed: randomUUID() });
    const large = " ".repeat(21 * 1024 * 1024);
    expect((await put(run.path, large, { key: reader, headers: yaml })).status).toBe(403);
    expect((await put(`/api/scan-runs/${randomUUID()}/description`, large, { headers: yaml })).status).toBe(
      404,
    );
    expect((await put("/api/scan-runs/x/description", large, { headers: yaml })).status).toBe(404);
  });
});
