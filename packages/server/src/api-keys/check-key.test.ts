import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withAnotherSecret } from "@waymark/test-support/guessed-key.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createPgPool, type PgPool } from "../db/pool.ts";
import { checkApiKey, createKeyChecks, type KeyCheck, type KeyChecks } from "./check-key.ts";
import { generateApiKey, parseApiKey } from "./key-format.ts";

const ADDRESS = "203.0.113.7";

let database: TestDatabase;
let pool: PgPool;
let organizationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 4,
    applicationName: "test",
    onError: () => undefined,
  });
  organizationId = await createOrganization();
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

async function createOrganization(): Promise<string> {
  const id = randomUUID();
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [id]);
  return id;
}

const newKey = (options: Parameters<typeof createKey>[2] = {}, organization = organizationId) =>
  createKey({ ...database, organizationId: organization }, ["scans:create"], options);
const checkAll = (checks: KeyChecks, keys: readonly string[]) =>
  keys.map((key) => checks.checkApiKey(key, ADDRESS));
const codeOf = (check: KeyCheck) => (check.ok ? "ok" : check.error.code);

it("a key checked in a batch gets the same result as individually", async () => {
  const other = await createOrganization();
  const good = await newKey();
  const keys = [
    good,
    await newKey({ revoked: true }),
    await newKey({ expiresAt: new Date(0) }),
    await newKey({ disabled: true }),
    await newKey({ allowedNetworks: ["203.0.114.0/24", "2001:db8::/32"] }),
    await newKey({ allowedNetworks: ["2001:db8::/32", "203.0.113.0/24"] }),
    // Final states take precedence.
    await newKey({ disabled: true, revoked: true, allowedNetworks: ["10.0.0.0/8"] }),
    await newKey({ disabled: true, expiresAt: new Date(0) }),
    await newKey({ disabled: true, allowedNetworks: ["10.0.0.0/8"] }),
    await newKey({ stored: false }),
    "junk",
    await newKey({}, other),
    // A key with another secret and an equal prefix.
    withAnotherSecret(good),
    good,
  ];
  const together = await Promise.all(checkAll(createKeyChecks(pool), keys));
  expect(together.map(codeOf)).toEqual([
    "ok",
    "api_key_revoked",
    "api_key_expired",
    "api_key_disabled",
    "network_not_allowed",
    "ok",
    "api_key_revoked",
    "api_key_expired",
    "api_key_disabled",
    "invalid_api_key",
    "invalid_api_key",
    "ok",
    "invalid_api_key",
    "ok",
  ]);
  const organizations = together.map((check) => (check.ok ? check.actor.organizationId : null));
  expect([organizations[0], organizations[11]]).toEqual([organizationId, other]);
  expect(together).toEqual(await Promise.all(keys.map((key) => checkApiKey(pool, key, ADDRESS))));
});

it("a key that is revoked during a check is refused by every later check", async () => {
  const [other, rawKey] = [await newKey(), await newKey()];
  const checks = createKeyChecks(pool);
  const check = (key: string) => checks.checkApiKey(key, ADDRESS);
  expect(codeOf(await check(rawKey))).toBe("ok");
  const held = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
  // It waits for a connection, and later checks wait for the next batch.
  const underWay = [check(other), check(other)];
  await new Promise<void>((resolve) => setImmediate(resolve));
  await query(database, "UPDATE api_keys SET revoked_at = now() WHERE prefix = $1", [
    parseApiKey(rawKey)?.prefix,
  ]);
  const afterwards = [check(rawKey), check(other), check(rawKey)];
  for (const client of held) client.release();
  expect((await Promise.all(underWay)).map(codeOf)).toEqual(["ok", "ok"]);
  expect((await Promise.all(afterwards)).map(codeOf)).toEqual(["api_key_revoked", "ok", "api_key_revoked"]);
});

it("every caller of a batch gets the database's error", async () => {
  const closed = createPgPool(database.databaseUrl, {
    max: 1,
    applicationName: "test",
    onError: () => undefined,
  });
  await closed.end();
  const keys = [generateApiKey().rawKey, generateApiKey().rawKey];
  const outcomes = await Promise.allSettled(checkAll(createKeyChecks(closed), keys));
  expect(outcomes).toEqual(
    keys.map(() => ({
      status: "rejected",
      reason: expect.objectContaining({ message: expect.stringContaining("pool") }),
    })),
  );
});
