import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { idOf } from "@waymark/test-support/api-key-ids.ts";
import { type Created, errorOf } from "@waymark/test-support/api-keys.ts";
import type { HttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization } from "@waymark/test-support/stack.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

const REQUEST = { name: "ci", ownerPrincipalType: "service_account", scopes: ["services:read"] };
interface Options {
  body?: unknown;
  key?: string;
  http?: HttpClient;
}
const create = (idempotencyKey: string, { body = REQUEST, key, http = stack.http }: Options = {}) =>
  http.post<Created>("/api/api-keys", body, {
    key: key ?? stack.apiKey,
    headers: { "idempotency-key": idempotencyKey },
  });
const use = async (key: string) => errorOf(await stack.http.get("/api/limits", { key }));

/** A name that distinguishes the keys of one test. */
function newRequest() {
  const name = `ci ${randomUUID()}`;
  const usable = () =>
    query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE name = $1 AND revoked_at IS NULL", [name]);
  return { idempotencyKey: randomUUID(), body: { ...REQUEST, name }, usable };
}

describe("creating a key twice with one Idempotency-Key", () => {
  it("replaces the key whose response was lost: only the key of the last response is usable", async () => {
    const { idempotencyKey, body, usable } = newRequest();
    const answers: Created[] = [];
    for (let i = 0; i < 4; i++) {
      const answer = await create(idempotencyKey, { body });
      expect(answer.status).toBe(201);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      answers.push(answer.body);
    }
    const last = answers.at(-1);
    expect(await usable()).toEqual([{ id: last?.id }]);
    for (const lost of answers.slice(0, -1)) {
      expect(await use(lost.rawKey)).toMatchObject({ status: 401, code: "api_key_revoked" });
    }
    expect(await use(last?.rawKey ?? "")).toMatchObject({ status: 200 });

    const path = `/api/audit-events?apiKeyId=${answers[0]?.id}`;
    const { body: page } = await stack.http.get<{ auditEvents: AuditEvent[] }>(path);
    expect(page.auditEvents.find((event) => event.action === "api_key.revoked")).toMatchObject({
      details: { successorId: answers[1]?.id },
    });
  });

  it("responds with 409 with the key's id once it was used, and the key stays", async () => {
    const { idempotencyKey, body, usable } = newRequest();
    const made = (await create(idempotencyKey, { body })).body;
    await use(made.rawKey);
    expect(errorOf(await create(idempotencyKey, { body }))).toMatchObject({
      status: 409,
      code: "api_key_in_use",
      message: expect.stringContaining(made.id),
    });
    expect(await usable()).toEqual([{ id: made.id }]);
    expect(await use(made.rawKey)).toMatchObject({ status: 200 });
  });

  it("never replaces a key that another process accepts at the same moment", async () => {
    for (let round = 0; round < 20; round++) {
      const { idempotencyKey, body, usable } = newRequest();
      const made = (await create(idempotencyKey, { body })).body;
      const [used, repeated] = await Promise.all([
        stack.other.get("/api/limits", { key: made.rawKey }),
        create(idempotencyKey, { body }),
      ]);
      // Either the use came first, or the replacement.
      expect([used.status, repeated.status]).toSatisfy(
        ([first, second]) => (first === 200 && second === 409) || (first === 401 && second === 201),
      );
      expect(await usable()).toEqual([{ id: used.status === 200 ? made.id : repeated.body.id }]);
    }
  });

  it("responds with 422 to another body and creates nothing; an equivalent body is the same", async () => {
    const { idempotencyKey, body, usable } = newRequest();
    await create(idempotencyKey, { body });
    for (const changed of [
      { ...body, scopes: ["services:read", "endpoints:read"] },
      { ...body, expiresAt: "2999-01-01T00:00:00Z" },
      { ...body, allowedNetworks: ["10.0.0.0/8"] },
    ]) {
      const error = errorOf(await create(idempotencyKey, { body: changed }));
      expect(error).toMatchObject({ status: 422, code: "idempotency_key_reused" });
    }
    expect(await usable()).toHaveLength(1);
    const { name, ...rest } = body;
    const reordered = JSON.stringify({ ...rest, name }, null, 2);
    expect((await create(idempotencyKey, { body: reordered })).status).toBe(201);
    expect(await usable()).toHaveLength(1);
  });

  it("responds with 409 while the first request is under way", async () => {
    const { idempotencyKey, body, usable } = newRequest();
    const row = "SELECT FROM api_keys WHERE id = $1 FOR UPDATE";
    await using held = await holdStatement(stack, row, [await idOf(stack, stack.apiKey)]);
    const first = create(idempotencyKey, { body });
    // It holds the lock of its Idempotency-Key, and waits for the row.
    const underWay = `SELECT FROM pg_locks waits JOIN pg_locks holds USING (pid)
                      WHERE NOT waits.granted AND holds.granted AND holds.locktype = 'advisory'
                        AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;
    await expect.poll(() => query(stack, underWay)).not.toHaveLength(0);
    const repeated = await create(idempotencyKey, { body, http: stack.other });
    expect(errorOf(repeated)).toMatchObject({ status: 409, code: "request_in_progress" });
    expect(repeated.headers.get("retry-after")).toBe("1");
    await held.commit();
    expect((await first).status).toBe(201);
    expect(await usable()).toHaveLength(1);
  });

  it("gives one usable key for 20 concurrent requests on two processes, in one response", async () => {
    const { idempotencyKey, body, usable } = newRequest();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        create(idempotencyKey, { body, http: i % 2 === 0 ? stack.http : stack.other }),
      ),
    );
    const given = answers.filter((answer) => answer.status === 201).map((answer) => answer.body.id);
    const refused = answers.filter((answer) => answer.status !== 201).map((answer) => errorOf(answer).code);
    expect(refused.filter((code) => code !== "request_in_progress")).toEqual([]);
    const left = await usable();
    expect(left).toHaveLength(1);
    expect(given).toContain(left[0]?.id);
  });

  it("applies only to requests of the calling key", async () => {
    const { idempotencyKey, body, usable } = newRequest();
    const strangers = await createHostedOrganization(stack.databaseUrl, "Strangers");
    const colleague = await createKey(stack, ["*"]);
    for (const key of [stack.apiKey, colleague, strangers.apiKey]) {
      expect((await create(idempotencyKey, { body, key })).status).toBe(201);
    }
    expect(await usable()).toHaveLength(3);
  });

  it.each([
    ["revoke", "revoked"],
    ["disable", "disabled"],
  ])("does not replace a key that was ended: %s", async (what) => {
    const { idempotencyKey, body } = newRequest();
    const made = (await create(idempotencyKey, { body })).body;
    await stack.http.post(`/api/api-keys/${made.id}/${what}`);
    const error = errorOf(await create(idempotencyKey, { body }));
    expect(error).toMatchObject({ status: 409, code: "api_key_not_active" });
  });

  it("creates another key after 24 hours, and the first one stays", async () => {
    const { idempotencyKey, body, usable } = newRequest();
    await create(idempotencyKey, { body });
    await query(
      stack,
      "UPDATE api_key_requests SET created_at = created_at - interval '24 hours' WHERE idempotency_key = $1",
      [idempotencyKey],
    );
    expect((await create(idempotencyKey, { body })).status).toBe(201);
    expect(await usable()).toHaveLength(2);
  });

  it("needs the permission each time", async () => {
    const { idempotencyKey, body } = newRequest();
    const key = await createKey(stack, ["api-keys:create"]);
    expect((await create(idempotencyKey, { body, key })).status).toBe(403);
  });
});

describe("the header Idempotency-Key", () => {
  it("accepts 255 visible characters", async () => {
    expect((await create("~".repeat(255))).status).toBe(201);
  });

  it.each([
    ["256 characters", "~".repeat(256)],
    ["a blank", "a b"],
    ["nothing", ""],
    ["an API key", `wmk_abcdefghijkl_${"a".repeat(39)}`],
  ])("is refused with 400 when it has %s", async (_name, idempotencyKey) => {
    expect(errorOf(await create(idempotencyKey))).toMatchObject({
      status: 400,
      code: "validation_failed",
      details: [{ path: "header idempotency-key" }],
    });
  });
});
