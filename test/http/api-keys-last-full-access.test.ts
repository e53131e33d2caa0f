import { randomUUID } from "node:crypto";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scaled } from "@waymark/test-support/scale.ts";
import { type StoredKey, storeKey } from "@waymark/test-support/api-key-ids.ts";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import type { HttpClient } from "@waymark/test-support/http-client.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";

const HOUR_MS = 3600 * 1000;
const BOUND = { permission: "*", resourceConstraints: { serviceNames: ["payments-*"] } };

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** A new organization with one key, which has full access. */
async function organizationWithOneKey(): Promise<StoredKey & { organizationId: string }> {
  const organizationId = randomUUID();
  await query(stack, "INSERT INTO organizations (id, name) VALUES ($1, 'One key')", [organizationId]);
  return { organizationId, ...(await storeKey(stack, { organizationId }, ["*"])) };
}

const change = (id: string, what: "revoke" | "disable", key: string) =>
  stack.http.post<ApiKey>(`/api/api-keys/${id}/${what}`, {}, { key });
const statusOf = async (key: string) => (await stack.http.get("/api/limits", { key })).status;
const later = (ms: number) => new Date(Date.now() + ms);

describe("the last key with full access", () => {
  it.each<[string, (key: StoredKey) => Promise<unknown>]>([
    ["revokes not itself by its id", ({ id, rawKey }) => change(id, "revoke", rawKey)],
    ["revokes not itself as self", ({ rawKey }) => change("self", "revoke", rawKey)],
    ["is not disabled", ({ id, rawKey }) => change(id, "disable", rawKey)],
    [
      "is not revoked with its children",
      ({ rawKey }) => stack.http.post("/api/api-keys/self/revoke", { children: true }, { key: rawKey }),
    ],
  ])("%s: 409 says what to do", async (_name, attempt) => {
    const only = await organizationWithOneKey();
    const error = errorOf((await attempt(only)) as Awaited<ReturnType<typeof change>>);
    expect(error).toMatchObject({ status: 409, code: "last_full_access_key" });
    expect(error.message).toMatch(/Rotate it.*create another key with \*.*npm run admin -- revoke-key/);
    expect(await statusOf(only.rawKey)).toBe(200);
  });

  it.each<[string, unknown[], Parameters<typeof storeKey>[3], boolean]>([
    ["another that never ends", ["*"], {}, true],
    ["another that lasts for a day and more", ["*"], { expiresAt: later(25 * HOUR_MS) }, true],
    ["another that ends within a day", ["*"], { expiresAt: later(23 * HOUR_MS) }, false],
    ["another that has expired", ["*"], { expiresAt: later(-1000) }, false],
    ["another that is revoked", ["*"], { revoked: true }, false],
    ["another that is disabled", ["*"], { disabled: true }, false],
    ["another that works in one network", ["*"], { allowedNetworks: ["127.0.0.0/8"] }, false],
    ["another whose * is bound", [BOUND], {}, false],
    ["another whose * is bound to an id", [{ permission: "*", serviceId: randomUUID() }], {}, false],
    ["another with a * that is bound and one that is not", [BOUND, "*"], {}, true],
    [
      "another with null and empty constraints",
      [{ permission: "*", serviceId: null, resourceConstraints: {} }],
      {},
      true,
    ],
    ["another with every permission by its name", ["api-keys:create", "api-keys:revoke"], {}, false],
  ])("beside %s", async (_name, scopes, options, mayEnd) => {
    const only = await organizationWithOneKey();
    await storeKey(stack, only, scopes as string[], options);
    const answer = await change("self", "revoke", only.rawKey);
    expect(answer.status).toBe(mayEnd ? 200 : 409);
    expect(await statusOf(only.rawKey)).toBe(mayEnd ? 401 : 200);
  });

  it("may itself expire soon, or be limited to networks: a similar key is enough", async () => {
    const { organizationId, rawKey: first } = await organizationWithOneKey();
    const short = { expiresAt: later(HOUR_MS), allowedNetworks: ["127.0.0.0/16"] };
    const one = await storeKey(stack, { organizationId }, ["*"], short);
    expect((await change(one.id, "revoke", first)).status).toBe(200);
    await query(
      stack,
      "UPDATE api_keys SET expires_at = $2, allowed_networks = '{127.0.0.0/16}' WHERE prefix = $1",
      [first.slice(0, 16), short.expiresAt],
    );
    expect((await change("self", "revoke", first)).status).toBe(409);
    await storeKey(stack, { organizationId }, ["*"], { ...short, allowedNetworks: ["127.0.0.0/8"] });
    expect((await change("self", "revoke", first)).status).toBe(200);
  });

  it("is rotated, and then its successor is the last one, although the old key is still in its grace period", async () => {
    const only = await organizationWithOneKey();
    const rotated = await stack.http.post<StoredKey>(
      `/api/api-keys/${only.id}/rotate`,
      { graceSeconds: 3600 },
      { key: only.rawKey },
    );
    expect(rotated.status).toBe(201);
    expect((await change(rotated.body.id, "revoke", only.rawKey)).status).toBe(409);
    expect((await change(only.id, "revoke", rotated.body.rawKey)).status).toBe(200);
    const next = await stack.http.post<StoredKey>(
      `/api/api-keys/${rotated.body.id}/rotate`,
      { graceSeconds: 0 },
      { key: rotated.body.rawKey },
    );
    expect(next.status).toBe(201);
    expect(await statusOf(rotated.body.rawKey)).toBe(401);
    expect(await statusOf(next.body.rawKey)).toBe(200);
  });

  it("doesn't prevent the revocation of keys with fewer permissions, or of unusable keys", async () => {
    const only = await organizationWithOneKey();
    for (const options of [{ disabled: true }, { expiresAt: later(-1000) }]) {
      const dead = await storeKey(stack, only, ["*"], options);
      expect((await change(dead.id, "revoke", only.rawKey)).status).toBe(200);
    }
    const lesser = await storeKey(stack, only, ["api-keys:revoke", BOUND]);
    expect((await change("self", "revoke", lesser.rawKey)).status).toBe(200);
  });

  it("is revoked by the operator's command", async () => {
    const only = await organizationWithOneKey();
    const args = ["services/api/src/admin.ts", "revoke-key", only.rawKey.slice(0, 16)];
    expect(await runNode(args, { DATABASE_URL: stack.databaseUrl })).toContain(`Revoked: ${only.id}`);
    expect(await statusOf(only.rawKey)).toBe(401);
  });
});

describe("two keys with full access", () => {
  const ROUNDS = scaled({ short: 6, long: 60 });

  it.each<[string, (own: StoredKey, theirs: StoredKey) => [string, string]]>([
    ["revoke one another", (_own, theirs) => [theirs.id, "revoke"]],
    ["revoke themselves", () => ["self", "revoke"]],
    ["disable one another", (_own, theirs) => [theirs.id, "disable"]],
    ["disable themselves", (own) => [own.id, "disable"]],
  ])(
    `%s on two processes at the same moment: one stays, in ${ROUNDS} rounds`,
    async (_name, aim) => {
      const first = await organizationWithOneKey();
      let survivor: StoredKey = first;
      const outcomes: Record<string, number> = {};
      for (let round = 0; round < ROUNDS; round++) {
        const made = await makeKey(stack, { scopes: ["*"] }, { key: survivor.rawKey });
        const pair: [StoredKey, StoredKey] = round % 2 === 0 ? [survivor, made] : [made, survivor];
        const end = (http: HttpClient, own: StoredKey, theirs: StoredKey) => {
          const [id, what] = aim(own, theirs);
          return http.post(`/api/api-keys/${id}/${what}`, {}, { key: own.rawKey });
        };
        const answers = await Promise.all([
          end(stack.http, pair[0], pair[1]),
          end(stack.other, pair[1], pair[0]),
        ]);
        const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
        outcomes[statuses.join(" ")] = (outcomes[statuses.join(" ")] ?? 0) + 1;
        const alive = [];
        for (const key of pair) if ((await statusOf(key.rawKey)) === 200) alive.push(key);
        expect({ round, statuses, alive: alive.length }).toEqual({ round, statuses, alive: 1 });
        survivor = alive[0] ?? first;
      }
      // One succeeds, and the other is refused: as the last one, or because it has already ended.
      expect(Object.keys(outcomes).every((key) => ["200 401", "200 409"].includes(key))).toBe(true);
    },
    120_000,
  );
});
