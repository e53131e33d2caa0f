import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Created, makeKey } from "@waymark/test-support/api-keys.ts";
import { withAnotherSecret } from "@waymark/test-support/guessed-key.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { announceAgain } from "@waymark/test-support/queue.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { dumpStack, findSecrets, type SearchedText } from "@waymark/test-support/secret-search.ts";
import { query } from "@waymark/test-support/sql.ts";
import { QUEUES, type ProcessStack, startProcessStack } from "@waymark/test-support/stack.ts";

describe.each(QUEUES)("on the %s queue", (queue) => {
  let stack: ProcessStack;
  const knownKeys: string[] = [];
  const errors: SearchedText[] = [];
  beforeAll(async () => {
    const loud = { LOG_LEVEL: "trace" };
    stack = await startProcessStack({
      queue,
      apiEnv: { ...loud, RATE_LIMIT_KEY_PER_MINUTE: "200", RATE_LIMIT_CI_KEY_PER_MINUTE: "200" },
      workerEnv: loud,
    });
    knownKeys.push(stack.apiKey);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  /** Sends a request, and keeps error responses for the search. */
  async function send(
    method: string,
    path: string,
    options: Parameters<ProcessStack["http"]["request"]>[2] = {},
  ) {
    const answer = await stack.http.request(method, path, options);
    if (answer.status >= 400)
      errors.push({ place: `answer to ${method} (${answer.status})`, text: answer.text });
    return answer;
  }

  it("keys are made, used, misused, put where they don't belong, rotated and revoked", async () => {
    const made = await makeKey(stack, { name: "canary", scopes: ["api-keys:create", "services:read"] });
    const rotated = await stack.http.post<Created>(`/api/api-keys/${made.id}/rotate`, { graceSeconds: 60 });
    const dead = await createKey(stack, ["*"], { revoked: true });
    const unknown = await createKey(stack, ["*"], { stored: false });
    const guessed = withAnotherSecret(made.rawKey);
    const keys = [made.rawKey, rotated.body.rawKey, dead, unknown, guessed];
    knownKeys.push(...keys);

    const run = await ingest(stack, scanPayload({}));
    await waitForRun(stack, run.body.scanRunId);
    for (const key of keys) {
      await send("GET", "/api/limits", { key });
      // Denied, and recorded if the key is known.
      await send("GET", "/api/audit-events", { key });
      await send("POST", "/api/scans/ingest", { key, body: scanPayload({ serviceName: "denied" }) });
      // A key in every part of a request where it doesn't belong.
      await send("GET", `/api/limits?key=${key}`);
      await send("GET", `/api/services?cursor=${key}`);
      await send("GET", `/api/services/${key}`);
      await send("GET", `/${key}`);
      await send("GET", `/api/api-keys?organizationId=${key}`);
      await send("POST", `/api/api-keys/${key}/revoke`);
      await send("GET", "/api/limits", { key: null, headers: { authorization: key } });
      await send("GET", "/api/limits", { key: null, headers: { authorization: `Basic ${key}` } });
      await send("GET", "/api/limits", { key: null, headers: { authorization: `Bearer ${key} ${key}` } });
      await send("GET", "/api/limits", { headers: { "x-request-id": key, "user-agent": key, referer: key } });
      await send("POST", "/api/session", { key: null, body: { apiKey: key } });
      await send("POST", "/api/session", { key: null, body: { apiKey: `${key} ` } });
      await send("GET", "/api/session", { key: null, headers: { cookie: `waymark_session=${key}` } });
      await send("POST", "/api/api-keys", { body: { [key]: 1 } });
      await send("POST", "/api/api-keys", { body: key });
      await send("POST", "/api/api-keys", { body: `{"name": ${key}` });
      const request = { name: "x", ownerPrincipalType: "user", scopes: ["services:read"] };
      await send("POST", "/api/api-keys", { body: { ...request, name: key } });
      await send("POST", "/api/api-keys", { body: { ...request, scopes: [key] } });
      await send("POST", "/api/api-keys", { body: { ...request, scopes: [`${key}:read`] } });
      await send("POST", "/api/api-keys", { key: made.rawKey, body: { ...request, scopes: [`a:${key}`] } });
      await send("POST", "/api/api-keys", {
        body: { ...request, scopes: [{ permission: "a:b", resourceConstraints: { key } }] },
      });
      await send("POST", "/api/scans/ingest", { body: { ...scanPayload({}), [key]: 1 } });
      await send("POST", "/api/scans/ingest", { body: scanPayload({}), headers: { "idempotency-key": key } });
      await send("POST", "/api/scans/ingest", { body: scanPayload({}), headers: { "scanned-at": key } });
      await send("POST", "/api/scans/ingest", { body: scanPayload({}), headers: { "content-type": key } });
    }
    // A response of the limit per key, too.
    const fast = await makeKey(stack, {});
    knownKeys.push(fast.rawKey);
    for (let i = 0; i < 450; i += 15) {
      await Promise.all(Array.from({ length: 15 }, () => send("GET", "/api/limits", { key: fast.rawKey })));
    }
    await stack.http.post(`/api/api-keys/${made.id}/revoke`);
    await send("GET", "/api/limits", { key: made.rawKey });

    const statuses = new Set(errors.map((error) => /\d{3}/.exec(error.place)?.[0]));
    expect([...statuses].map(Number).toSorted((a, b) => a - b)).toEqual([400, 401, 403, 404, 415, 429]);
    expect(stack.api.logLines().length).toBeGreaterThan(100);
  }, 120_000);

  it("and neither a key nor a secret is in any table, queue, log or error", async () => {
    const texts = [...(await dumpStack(stack)), ...errors];
    // The search covered audit rows of denied uses, the queue's own tables or keys, and redacted logs.
    const all = new Map(texts.map(({ place, text }) => [place, text]));
    expect(all.get("table public.audit_events")).toContain("api_key.use_denied");
    expect(all.get("table public.api_keys")).toContain("canary");
    expect(all.get("log of the api")).toContain("_[redacted]");
    expect(all.get("log of the worker")).toContain("scan runs persisted");
    const inQueue = queue === "redis" ? "redis bull:scan-persistence:meta" : "table bullmq.queue";
    expect([...all.keys()].some((place) => place.startsWith(inQueue.slice(0, 12)))).toBe(true);

    expect(findSecrets(texts, knownKeys)).toEqual([]);
  });

  it("and the search finds one wherever it is planted", async () => {
    const planted = await createKey(stack, ["*"], { stored: false });
    const secret = planted.slice(17, 50);
    await query(stack, "UPDATE organizations SET name = $1", [`Acme ${planted}`]);
    await query(
      stack,
      `INSERT INTO audit_events (organization_id, id, action, api_key_id, details)
       SELECT $1, gen_random_uuid(), 'api_key.created', gen_random_uuid(), jsonb_build_object('x', $2::text)`,
      [stack.organizationId, secret],
    );
    await query(stack, "UPDATE scan_runs SET spec_title = $1", [
      Buffer.from(`x${secret}y`).toString("base64"),
    ]);
    await query(stack, "UPDATE services SET name = encode($1::bytea, 'hex')", [Buffer.from(secret)]);
    await plantInQueue(stack, secret);

    const found = findSecrets(
      [...(await dumpStack(stack)), { place: "answer", text: `no ${planted}` }],
      [planted],
    );
    expect(found.map((finding) => finding.place)).toEqual(
      expect.arrayContaining([
        "answer",
        stack.redisUrl === undefined ? "table bullmq.job" : `redis bull:scan-persistence:${secret}-1000`,
        "table public.audit_events",
        "table public.organizations",
        "table public.scan_runs",
        "table public.services",
      ]),
    );
    expect(found.filter((finding) => finding.place === "table public.api_keys")).toEqual([]);
    const logged = findSecrets([{ place: "log", text: `{"msg":"key ${planted}"}` }], []);
    expect(logged).toEqual([{ place: "log", what: "a whole API key" }]);
  });

  it("and a test fails if its stack contains one at the end", async () => {
    await expect(stack[Symbol.asyncDispose]()).rejects.toThrow("left in table public.organizations");
  });
});

/** Puts a job with a secret into the queue, once there is no worker to take it. */
async function plantInQueue(stack: ProcessStack, secret: string): Promise<void> {
  await stack.worker.stop();
  await announceAgain(stack, secret, 1);
}
