import type { RevokedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { storeKey } from "@waymark/test-support/api-key-ids.ts";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";

const ROUNDS = scaled({ short: 5, long: 30 });

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

const revoke = (id: string, key?: string, body?: unknown) =>
  stack.http.post<RevokedApiKeyResult>(`/api/api-keys/${id}/revoke`, body, key === undefined ? {} : { key });
const isUsable = async (key: string) => (await stack.http.get("/api/limits", { key })).status === 200;

describe("permission to revoke a key", () => {
  it.each<[string, string[], unknown[]]>([
    ["a key that may do everything", ["api-keys:revoke"], ["*"]],
    [
      "a key that may do one thing more",
      ["api-keys:revoke", "services:read"],
      ["services:read", "audit:read"],
    ],
    [
      "the same permission without its bound",
      ["api-keys:revoke"],
      ["api-keys:revoke", { permission: "scans:create", resourceConstraints: { serviceNames: ["a"] } }],
    ],
  ])("a key with fewer permissions can't revoke or disable %s", async (_name, own, wider) => {
    const key = await createKey(stack, own);
    const target = await storeKey(stack, stack, wider as string[]);
    for (const change of ["revoke", "disable"]) {
      const answer = await stack.http.post(`/api/api-keys/${target.id}/${change}`, {}, { key });
      expect(errorOf(answer)).toMatchObject({
        status: 403,
        code: "permission_denied",
        // The message shows nothing of the other key, because this caller can't read keys.
        message:
          "This API key can revoke or disable only keys with no more permissions than its own: one of its scopes must cover each scope of that key, constraints included.",
      });
    }
    expect(await isUsable(target.rawKey)).toBe(true);
  });

  it("a key can revoke every key that it could create, regardless of expiry and networks", async () => {
    const revoker = await createKey(stack, ["api-keys:revoke", "services:read"], {
      expiresAt: new Date(Date.now() + 600_000),
      allowedNetworks: ["127.0.0.0/8"],
    });
    const target = await storeKey(stack, stack, [
      { permission: "services:read", serviceId: stack.organizationId },
    ]);
    expect((await revoke(target.id, revoker)).status).toBe(200);
    expect(await isUsable(target.rawKey)).toBe(false);
  });

  it("a key that was revoked or disabled while its request was under way revokes nothing", async () => {
    // The row's lock keeps the request waiting after its key was checked.
    const revoker = await storeKey(stack, stack, ["*"]);
    const target = await makeKey(stack, {});
    const disable = "UPDATE api_keys SET disabled_at = now() WHERE id = $1";
    await using held = await holdStatement(stack, disable, [revoker.id]);
    const underWay = revoke(target.id, revoker.rawKey);
    await untilWaiting(stack, { atLeast: 1, type: "row" });
    await held.commit();
    expect(errorOf(await underWay)).toMatchObject({ status: 401, code: "api_key_disabled" });
    expect(await isUsable(target.rawKey)).toBe(true);
  });
});

describe("revoking a key with its children", () => {
  const makers = ["api-keys:create", "api-keys:revoke", "services:read"];
  const audited = async (id: string) =>
    query<{ api_key_id: string; actor_key_id: string | null }>(
      stack,
      "SELECT api_key_id, actor_key_id FROM audit_events WHERE action = 'api_key.revoked' AND api_key_id = $1",
      [id],
    );

  it("revokes the keys that it created, those that they created, their successors by rotation, and nothing else", async () => {
    const root = await makeKey(stack, { scopes: makers });
    const child = await makeKey(stack, { scopes: makers }, { key: root.rawKey });
    const grandchild = await makeKey(stack, { scopes: ["services:read"] }, { key: child.rawKey });
    const rotated = await stack.http.post<{ id: string; rawKey: string }>(
      `/api/api-keys/${grandchild.id}/rotate`,
      { graceSeconds: 60 },
      { key: child.rawKey },
    );
    const gone = await makeKey(stack, { scopes: ["services:read"] }, { key: root.rawKey });
    await revoke(gone.id);
    const others = [await makeKey(stack, { scopes: makers }), await makeKey(stack, {})];

    const answer = await revoke(root.id, undefined, { children: true });
    expect(answer.status).toBe(200);
    const ended = [root.id, child.id, grandchild.id, rotated.body.id];
    expect(answer.body).toMatchObject({
      id: root.id,
      status: "revoked",
      revokedCount: 4,
      revokedKeyIds: ended.toSorted(),
    });
    for (const key of [root, child, grandchild, rotated.body]) {
      const refused = errorOf(await stack.http.get("/api/limits", { key: key.rawKey }));
      expect(refused).toMatchObject({ status: 401, code: "api_key_revoked" });
      expect(await audited(key.id)).toHaveLength(1);
    }
    for (const key of others) expect(await isUsable(key.rawKey)).toBe(true);

    const again = await revoke(root.id, undefined, { children: true });
    expect(again.body).toMatchObject({ id: root.id, revokedAt: answer.body.revokedAt, revokedCount: 0 });
    expect(await audited(root.id)).toHaveLength(1);
  });

  it("responds the same without the children's revocation, and they stay active", async () => {
    const root = await makeKey(stack, { scopes: makers });
    const child = await makeKey(stack, { scopes: ["services:read"] }, { key: root.rawKey });
    for (const body of [{}, { children: false }]) {
      const answer = await revoke(root.id, undefined, body);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body)).not.toContain("revokedKeyIds");
    }
    expect(await isUsable(child.rawKey)).toBe(true);
  });

  it("needs api-keys:revoke without a constraint to the key", async () => {
    const root = await makeKey(stack, { scopes: makers });
    const child = await makeKey(stack, { scopes: ["services:read"] }, { key: root.rawKey });
    const bound = await createKey(stack, [
      { permission: "api-keys:revoke", resourceType: "api_key", resourceId: root.id },
      ...makers.filter((permission) => permission !== "api-keys:revoke"),
    ]);
    expect((await revoke(root.id, bound, { children: true })).status).toBe(403);
    const creator = await makeKey(stack, { scopes: ["api-keys:create"] });
    expect((await revoke("self", creator.rawKey, { children: true })).status).toBe(403);
    expect(await isUsable(child.rawKey)).toBe(true);
    const self = await revoke("self", root.rawKey, { children: true });
    expect(self.body).toMatchObject({ id: root.id, revokedCount: 2 });
    expect(await isUsable(child.rawKey)).toBe(false);
  });

  it.each([[{ children: "yes" }], [{ children: null }], [{ children: 1 }], [{ childs: true }]])(
    "responds with 400 to %j",
    async (body) => {
      const { id, rawKey } = await makeKey(stack, {});
      expect((await revoke(id, undefined, body)).status).toBe(400);
      expect(await isUsable(rawKey)).toBe(true);
    },
  );

  it("ends even if the data has a cycle, and revokes 5,000 keys at once", async () => {
    const root = await storeKey(stack, stack, makers);
    await query(
      stack,
      `INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, created_by, scopes)
       SELECT $1, gen_random_uuid(), 'child', 'made_' || n, sha256('x'), $2, '[]' FROM generate_series(1, 5000) n`,
      [stack.organizationId, root.id],
    );
    await query(
      stack,
      "UPDATE api_keys SET created_by = (SELECT id FROM api_keys WHERE prefix = 'made_1') WHERE id = $1",
      [root.id],
    );
    const answer = await revoke(root.id, undefined, { children: true });
    expect(answer.body.revokedCount).toBe(5_001);
    expect(answer.body.revokedKeyIds).toHaveLength(1_000);
    const [left] = await query<{ count: string }>(
      stack,
      "SELECT count(*) FROM api_keys WHERE name = 'child' AND revoked_at IS NULL",
    );
    expect(left?.count).toBe("0");
  });

  it("follows a chain of 5,000 keys in time, although the statistics only know one key with 40,000 children", async () => {
    const [wide, deep] = [await storeKey(stack, stack, makers), await storeKey(stack, stack, makers)];
    const insert = `INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, created_by, scopes)`;
    await query(
      stack,
      `${insert} SELECT $1, gen_random_uuid(), 'wide', 'wide_' || n, sha256('x'), $2, '[]'
       FROM generate_series(1, 40000) n`,
      [stack.organizationId, wide.id],
    );
    await query(stack, "ALTER TABLE api_keys SET (autovacuum_enabled = off)");
    await query(stack, "ANALYZE api_keys");
    await query(
      stack,
      `WITH ids AS MATERIALIZED (
         SELECT n, CASE WHEN n = 0 THEN $2::uuid ELSE gen_random_uuid() END AS id FROM generate_series(0, 5000) n)
       ${insert}
       SELECT $1, child.id, 'chain', 'chain_' || child.n, sha256('x'), maker.id, '[]'
       FROM ids maker JOIN ids child ON child.n = maker.n + 1`,
      [stack.organizationId, deep.id],
    );
    for (const [key, count] of [
      [deep, 5_001],
      [wide, 40_001],
    ] as const) {
      const answer = await revoke(key.id, undefined, { children: true });
      expect({ status: answer.status, count: answer.body.revokedCount }).toEqual({ status: 200, count });
    }
  });

  it("is available to the operator", async () => {
    const root = await makeKey(stack, { scopes: makers });
    const child = await makeKey(stack, { scopes: ["services:read"] }, { key: root.rawKey });
    const args = ["services/api/src/admin.ts", "revoke-key", root.prefix, "--children"];
    const text = await runNode(args, { DATABASE_URL: stack.databaseUrl });
    expect(text).toContain(`Revoked: ${root.id}`);
    expect(text).toContain("Keys revoked: 2");
    expect(await isUsable(child.rawKey)).toBe(false);
  });

  it(`also revokes the keys that an attacker creates on two processes meanwhile, in ${ROUNDS} rounds`, async () => {
    const { other } = stack;
    const body = { name: "stolen", ownerPrincipalType: "user", scopes: ["api-keys:create"] };
    let stolen = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const leaked = await makeKey(stack, { scopes: ["api-keys:create"] });
      const known = [leaked.rawKey];
      // Each attacker uses the newest key of all, so that chains grow as fast as possible.
      const thief = async (http: typeof other) => {
        for (let tries = 0; tries < 200; tries++) {
          const key = known.at(-1) ?? "";
          const answer = await http.post<{ rawKey: string }>("/api/api-keys", body, { key });
          if (answer.status !== 201) return;
          known.push(answer.body.rawKey);
        }
      };
      const thieves = [stack.http, other, stack.http, other].map(thief);
      // The key itself, and at least one that an attacker has created.
      await expect.poll(() => known.length, { interval: 1 }).toBeGreaterThan(1 + (round % 4));
      expect((await revoke(leaked.id, undefined, { children: true })).status).toBe(200);
      await Promise.all(thieves);
      const [alive] = await query<{ count: string }>(
        stack,
        "SELECT count(*) FROM api_keys WHERE name = 'stolen' AND revoked_at IS NULL",
      );
      expect({ round, alive: alive?.count }).toEqual({ round, alive: "0" });
      stolen += known.length - 1;
    }
    expect(stolen).toBeGreaterThanOrEqual(ROUNDS);
  });
});
