import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createPgPool, type PgPool } from "../../db/pool.ts";
import { checkApiKey, type IdentifiedKey } from "../check-key.ts";
import { checkSession, openSession, SESSIONS_PER_KEY_MAX } from "./sessions.ts";

const ADDRESS = "127.0.0.1";

let database: TestDatabase;
let pool: PgPool;
let organizationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 10,
    applicationName: "test",
    onError: () => undefined,
  });
  organizationId = randomUUID();
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [organizationId]);
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

async function newKey(): Promise<IdentifiedKey> {
  const check = await checkApiKey(pool, await createKey({ ...database, organizationId }, ["*"]), ADDRESS);
  if (!check.ok) throw check.error;
  return check.actor;
}

const open = async (key: IdentifiedKey) => (await openSession(pool, key, { previousTokens: [] })).token;
const isOpen = async (token: string) =>
  (await checkSession(pool, token, { idleMinutes: 60, address: ADDRESS })).ok;

async function countOf(key: IdentifiedKey): Promise<number> {
  return (await query(database, "SELECT FROM sessions WHERE api_key_id = $1", [key.apiKeyId])).length;
}

it(`a key has at most ${SESSIONS_PER_KEY_MAX} sessions, also if many are opened concurrently: the oldest end`, async () => {
  const [key, other] = [await newKey(), await newKey()];
  const [oldest, elsewhere] = [await open(key), await open(other)];
  for (let n = 1; n < SESSIONS_PER_KEY_MAX - 1; n++) await open(key);
  const newest = await open(key);
  expect(await countOf(key)).toBe(SESSIONS_PER_KEY_MAX);
  expect([await isOpen(oldest), await isOpen(newest)]).toEqual([true, true]);

  const oneMore = await open(key);
  expect([await isOpen(oldest), await isOpen(newest), await isOpen(oneMore)]).toEqual([false, true, true]);

  const together = await Promise.all(Array.from({ length: SESSIONS_PER_KEY_MAX }, () => open(key)));
  expect(await countOf(key)).toBe(SESSIONS_PER_KEY_MAX);
  expect((await Promise.all(together.map(isOpen))).every(Boolean)).toBe(true);
  expect([await isOpen(oneMore), await isOpen(elsewhere)]).toEqual([false, true]);
});

it("a malformed token is refused without a query", async () => {
  const closed = createPgPool(database.databaseUrl, {
    max: 1,
    applicationName: "test",
    onError: () => undefined,
  });
  await closed.end();
  const token = await open(await newKey());
  for (const junk of [
    "",
    "wms_",
    `${token}a`,
    token.slice(0, -1),
    token.replace("wms", "wmk"),
    ` ${token}`,
  ]) {
    const check = await checkSession(closed, junk, { idleMinutes: 60, address: ADDRESS });
    expect(check).toMatchObject({ ok: false, key: null, error: { code: "session_ended" } });
  }
});

it("a token is found among 20,000 sessions by an index, and old ones by another", async () => {
  const key = await newKey();
  await query(
    database,
    `INSERT INTO sessions (organization_id, token_hash, api_key_id, expires_at)
     SELECT $1, sha256(n::text::bytea), $2, now() + n * interval '1 second' FROM generate_series(1, 20000) n`,
    [key.organizationId, key.apiKeyId],
  );
  await query(database, "ANALYZE sessions");
  const planOf = async (text: string) =>
    (await query<{ "QUERY PLAN": string }>(database, `EXPLAIN ${text}`))
      .map((row) => row["QUERY PLAN"])
      .join("\n");
  expect(await planOf("SELECT FROM sessions WHERE token_hash = sha256('1')")).toContain("sessions_token");
  const expired = `SELECT FROM sessions WHERE organization_id = '${organizationId}' AND expires_at <= now()`;
  expect(await planOf(expired)).toContain("sessions_by_expiry");
});
