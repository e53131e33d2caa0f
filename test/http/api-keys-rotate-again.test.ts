import { randomUUID } from "node:crypto";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { type Created, errorOf } from "@waymark/test-support/api-keys.ts";
import type { HttpClient } from "@waymark/test-support/http-client.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

const SCOPES = ["services:read", "api-keys:create", "api-keys:revoke"];
async function newKey(): Promise<Created> {
  const request = { name: `rotated ${randomUUID()}`, ownerPrincipalType: "service_account", scopes: SCOPES };
  return (await stack.http.post<Created>("/api/api-keys", request)).body;
}

interface Options {
  graceSeconds?: number;
  key?: string;
  http?: HttpClient;
}
const rotate = (
  id: string,
  idempotencyKey: string,
  { graceSeconds = 60, key = stack.apiKey, http = stack.http }: Options = {},
) =>
  http.post<Created>(
    `/api/api-keys/${id}/rotate`,
    { graceSeconds },
    { key, headers: { "idempotency-key": idempotencyKey } },
  );
const use = async (key: string) => errorOf(await stack.http.get("/api/limits", { key }));
const usable = (name: string) =>
  query<{ id: string }>(
    stack,
    `SELECT id FROM api_keys WHERE name = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) ORDER BY id`,
    [name],
  );
const read = async (id: string) =>
  (await stack.http.get<ApiKey>(`/api/api-keys/${id}?organizationId=${stack.organizationId}`)).body;

describe("rotating a key twice with one Idempotency-Key", () => {
  it.each([0, 60])(
    "replaces the new key whose response was lost, with %i s of grace: one new key is usable",
    async (graceSeconds) => {
      const old = await newKey();
      const key = randomUUID();
      const answers: Created[] = [];
      for (let i = 0; i < 3; i++) {
        const answer = await rotate(old.id, key, { graceSeconds });
        expect(answer.status).toBe(201);
        answers.push(answer.body);
      }
      const last = answers.at(-1);
      const left = graceSeconds === 0 ? [{ id: last?.id }] : [{ id: old.id }, { id: last?.id }];
      expect(await usable(old.name)).toEqual(left);
      expect(await use(answers[0]?.rawKey ?? "")).toMatchObject({ status: 401, code: "api_key_revoked" });
      expect(await use(last?.rawKey ?? "")).toMatchObject({ status: 200 });
      expect((await read(old.id)).replacedBy).toBe(last?.id);
    },
  );

  it("keeps the end of the old key and the lifetime of the new one", async () => {
    const old = await newKey();
    const key = randomUUID();
    const first = await rotate(old.id, key);
    const end = (await read(old.id)).expiresAt;
    const second = await rotate(old.id, key);
    expect((await read(old.id)).expiresAt).toBe(end);
    expect([first.body.expiresAt, second.body.expiresAt]).toEqual([null, null]);
  });

  it("answers 409 once the new key was used, and the new key stays", async () => {
    const old = await newKey();
    const key = randomUUID();
    const { body } = await rotate(old.id, key);
    await use(body.rawKey);
    const again = errorOf(await rotate(old.id, key));
    expect(again).toMatchObject({ status: 409, code: "api_key_in_use" });
    expect(again.message).toContain(body.id);
    expect(await use(body.rawKey)).toMatchObject({ status: 200 });
  });

  it("creates one new key for four simultaneous requests", async () => {
    const old = await newKey();
    const key = randomUUID();
    const answers = await Promise.all(
      [stack.http, stack.other, stack.http, stack.other].map((http) => rotate(old.id, key, { http })),
    );
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const newest = (await usable(old.name)).filter(({ id }) => id !== old.id);
    expect(newest).toHaveLength(1);
    expect((await read(old.id)).replacedBy).toBe(newest[0]?.id);
  });

  it("refuses the Idempotency-Key of another rotation, and of a creation", async () => {
    const [one, other] = [await newKey(), await newKey()];
    const key = randomUUID();
    await rotate(one.id, key);
    for (const answer of [
      await rotate(other.id, key),
      await rotate(one.id, key, { graceSeconds: 61 }),
      await stack.http.post(
        "/api/api-keys",
        { name: "x", ownerPrincipalType: "user", scopes: ["services:read"] },
        { headers: { "idempotency-key": key } },
      ),
    ]) {
      expect(errorOf(answer)).toMatchObject({ status: 422, code: "idempotency_key_reused" });
    }
  });

  it("is refused after the old key was revoked or disabled meanwhile", async () => {
    for (const change of ["revoke", "disable"]) {
      const old = await newKey();
      const key = randomUUID();
      await rotate(old.id, key);
      await stack.http.post(`/api/api-keys/${old.id}/${change}`);
      expect(errorOf(await rotate(old.id, key))).toMatchObject({ status: 409, code: "api_key_not_active" });
    }
  });

  it("is refused after the new key was rotated, so that there are not two", async () => {
    const old = await newKey();
    const key = randomUUID();
    const { body } = await rotate(old.id, key);
    await rotate(body.id, randomUUID());
    expect(errorOf(await rotate(old.id, key))).toMatchObject({ status: 409, code: "api_key_not_active" });
  });
});

describe("a key that rotates itself", () => {
  it("can repeat the request within the grace period", async () => {
    const old = await newKey();
    const key = randomUUID();
    const first = await rotate(old.id, key, { key: old.rawKey });
    const second = await rotate(old.id, key, { key: old.rawKey });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await use(second.body.rawKey)).toMatchObject({ status: 200 });
  });

  it("refuses an Idempotency-Key with a grace period under 60 s, and rotates without one", async () => {
    const old = await newKey();
    const short = await rotate(old.id, randomUUID(), { key: old.rawKey, graceSeconds: 59 });
    expect(errorOf(short)).toMatchObject({ status: 400, code: "validation_failed" });
    expect(await use(old.rawKey)).toMatchObject({ status: 200 });
    const now = await stack.http.post(
      `/api/api-keys/${old.id}/rotate`,
      { graceSeconds: 0 },
      { key: old.rawKey },
    );
    expect(now.status).toBe(201);
  });
});
