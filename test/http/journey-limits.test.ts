import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { journeyText, sendChangeset, storeDocument } from "@waymark/test-support/journeys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const { changesetFilesMax, documentBytesMax, documentsMax, messageMax, pathMax } = JOURNEY_LIMITS;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const newPath = () => `${randomUUID()}.journey.yaml`;
const change = (path: string, text: string | null = "", baseVersion: number | null = null) => ({
  path,
  text,
  baseVersion,
});
const padded = (bytes: number) => journeyText("Large").padEnd(bytes, "#");

describe("a changeset at its limits", () => {
  it.each<[string, () => object]>([
    ["a path", () => ({ changes: [change("p".repeat(pathMax))] })],
    ["a message", () => ({ message: "é".repeat(messageMax), changes: [change(newPath())] })],
    ["a journey's text", () => ({ changes: [change(newPath(), padded(documentBytesMax))] })],
    [
      "the number of documents",
      () => ({ changes: Array.from({ length: changesetFilesMax }, () => change(`${randomUUID()}.yaml`)) }),
    ],
  ])("is stored: %s", async (_name, body) => {
    expect((await stack.http.post("/api/journey-changesets", body())).status).toBe(201);
  });

  it.each<[string, string, () => object]>([
    ["a path", "changes[0].path", () => ({ changes: [change("p".repeat(pathMax + 1))] })],
    ["a message", "message", () => ({ message: "é".repeat(messageMax + 1), changes: [change(newPath())] })],
    [
      "a journey's text",
      "changes[0].text",
      () => ({ changes: [change(newPath(), padded(documentBytesMax + 1))] }),
    ],
    [
      "the number of documents",
      "changes",
      () => ({
        changes: Array.from({ length: changesetFilesMax + 1 }, () => change(`${randomUUID()}.yaml`)),
      }),
    ],
    ["no change", "changes", () => ({ changes: [] })],
    ["a path twice", "changes", () => ({ changes: [change("a.yaml"), change("a.yaml")] })],
    ["an unknown field", "changes[0]", () => ({ changes: [{ ...change(newPath()), force: true }] })],
    ["another unknown field", "", () => ({ changes: [change(newPath())], force: true })],
    ["a version below 1", "changes[0].baseVersion", () => ({ changes: [change(newPath(), "", 0)] })],
    ["no version", "changes[0].baseVersion", () => ({ changes: [{ path: newPath(), text: "" }] })],
    ["NUL in a text", "changes[0].text", () => ({ changes: [change(newPath(), "a\0b")] })],
    ["a lone surrogate", "changes[0].text", () => ({ changes: [change(newPath(), "\uD800")] })],
    [
      "an address that is none",
      "source.url",
      () => ({ source: { url: "javascript:1" }, changes: [change(newPath())] }),
    ],
  ])("is refused beyond, with the place: %s", async (_name, path, body) => {
    const error = errorOf(await stack.http.post("/api/journey-changesets", body()));
    expect(error).toMatchObject({ status: 400, code: "validation_failed" });
    expect(error.details?.map((detail) => detail.path)).toContain(path);
  });

  it("is refused beyond the body's limit", async () => {
    const large = { changes: [change("api.yaml", `openapi: 3.1.0\n${"#".repeat(10 * 1024 * 1024)}`)] };
    expect(errorOf(await stack.http.post("/api/journey-changesets", large))).toMatchObject({
      status: 413,
      code: "payload_too_large",
    });
  });

  it("counts the documents of the organization, and not those that are archived", async () => {
    const { apiKey, organizationId } = await createHostedOrganization(stack.databaseUrl, "Full");
    const http = createHttpClient(stack.api.baseUrl, { key: apiKey });
    await fillOrganization(organizationId, documentsMax - 1);
    expect((await sendChangeset({ http }, { changes: [change("last.yaml")] })).status).toBe(201);
    const refused = await sendChangeset({ http }, { changes: [change("more.yaml")] });
    expect(errorOf(refused)).toMatchObject({ status: 409, code: "limit_reached" });
    const archived = await sendChangeset({ http }, { changes: [change("last.yaml", null, 1)] });
    expect(archived.status).toBe(201);
    expect((await sendChangeset({ http }, { changes: [change("more.yaml")] })).status).toBe(201);
  });
});

async function fillOrganization(organizationId: string, count: number): Promise<void> {
  await query(
    stack,
    `WITH text AS (
       INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, sha256(''), 0, '') RETURNING hash
     ), document AS (
       INSERT INTO journey_documents (organization_id, id, path, kind, journey_key, head_version)
       SELECT $1, gen_random_uuid(), 'd' || n, 'openapi', 'k', 1 FROM generate_series(1, $2::int) AS n RETURNING id
     )
     INSERT INTO journey_document_versions (organization_id, document_id, version, blob_hash, changeset_id, origin,
                                            error_count, warning_count, created_by_key_id)
     SELECT $1, document.id, 1, text.hash, gen_random_uuid(), 'api', 0, 0, gen_random_uuid() FROM document, text`,
    [organizationId, count],
  );
}

/** Repeats a request as long as something else goes on. */
async function statusesDuring(
  work: Promise<unknown>,
  ask: () => Promise<{ status: number }>,
): Promise<number[]> {
  const ended = work.then(() => true);
  const statuses: number[] = [];
  for (let hasEnded = false; !hasEnded; hasEnded = await Promise.race([ended, sleep(0, false)])) {
    statuses.push((await ask()).status);
  }
  return statuses;
}

describe("a hostile document", () => {
  const levels = "abcdefghijklmnopqrstuvwxyz".split("");
  const bomb = levels
    .map(
      (name, n) =>
        `${name}: &${name} [${n === 0 ? "x" : `*${levels[n - 1]}, *${levels[n - 1]}, *${levels[n - 1]}`}]`,
    )
    .join("\n");

  it.each<[string, string, string]>([
    ["brackets without end", "journey", `arazzo: ${"[".repeat(3_900_000)}`],
    ["items without end", "openapi", `openapi: 3.1.0\nx: [${"1,".repeat(4_500_000)}]\n`],
    ["aliases that multiply", "journey", `arazzo: 1.1.0\n${bomb}\n`],
    ["aliases that multiply, in a description", "openapi", `openapi: 3.1.0\n${bomb}\n`],
    [
      "keys without end",
      "journey",
      `arazzo: {${Array.from({ length: 400_000 }, (_, n) => `k${n}:`).join(",")}}`,
    ],
  ])("is stored with an error while others are served: %s", async (_name, kind, text) => {
    const other = await createHostedOrganization(stack.databaseUrl, "Neighbours");
    const neighbour = createHttpClient(stack.api.baseUrl, { key: other.apiKey });
    const serveWhileStoring = async () => {
      const hostile = storeDocument(stack, { path: `${randomUUID()}.${kind}.yaml`, text });
      const served = await statusesDuring(hostile, () => neighbour.get("/api/journeys"));
      const document = await hostile;
      expect(document.errorCount).toBeGreaterThan(0);
      expect(document.problems.length).toBeLessThanOrEqual(100);
      expect(new Set(served)).toEqual(new Set([200]));
      return served.length;
    };
    // Where this process had to wait for the processor, both answers may have come in that time.
    await waitUntil("a neighbour that is served meanwhile", async () => (await serveWhileStoring()) > 1);
    // Another organization's documents are checked as before.
    const good = await storeDocument({ http: neighbour }, { path: newPath(), text: journeyText("Good") });
    expect(good.errorCount).toBe(0);
  });
});
