import { generateApiKey } from "@waymark/server/api-keys/key-format.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { lastUseIsRecorded, makeKey } from "@waymark/test-support/api-keys.ts";
import { type CountedStack, startCountedStack } from "@waymark/test-support/postgres/counted-stack.ts";
import { createManyKeys } from "@waymark/test-support/many-keys.ts";
import { query } from "@waymark/test-support/sql.ts";

let started: CountedStack;
let stack: CountedStack["stack"];
let counted: CountedStack["counted"];
let http: CountedStack["http"];
beforeAll(async () => {
  started = await startCountedStack({ RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "off" });
  ({ stack, counted, http } = started);
});
afterAll(() => started[Symbol.asyncDispose]());

async function queriesOf(work: () => Promise<unknown>): Promise<number> {
  const before = counted.queries();
  await work();
  return counted.queries() - before;
}

describe("what a key costs", () => {
  it("a malformed key costs no query, even if it is similar to a real one", async () => {
    const real = stack.apiKey;
    const malformed = [
      "junk",
      "wmk_",
      `${real}0`,
      real.slice(0, -1),
      real.toLowerCase(),
      // Correct except for one character: only the checksum detects it.
      ...Array.from({ length: 100 }, (_, i) => {
        const place = 4 + (i % 12);
        const wrong = real.charAt(place) === "a" ? "b" : "a";
        return real.slice(0, place) + wrong + real.slice(place + 1);
      }),
    ];
    const statuses: number[] = [];
    const queries = await queriesOf(async () => {
      for (const key of malformed) statuses.push((await http.get("/api/limits", { key })).status);
    });
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(queries).toBe(0);
  });

  it("a valid key costs one query, and so does a well-formed unknown one", async () => {
    const { rawKey: key } = await makeKey(stack, {});
    await http.get("/api/limits", { key });
    await lastUseIsRecorded(stack, key);
    expect(await queriesOf(() => http.get("/api/limits", { key }))).toBe(1);
    expect(await queriesOf(() => http.get("/api/limits", { key: generateApiKey().rawKey }))).toBe(1);
  });

  it("finds a key among 20,000 by an index", async () => {
    await createManyKeys(stack, 20_000);
    await query(stack, "ANALYZE api_keys");
    const plan = await query<{ "QUERY PLAN": string }>(
      stack,
      `EXPLAIN SELECT * FROM api_keys WHERE prefix = '${stack.apiKey.slice(0, 16)}'`,
    );
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).toContain("Index Scan using api_keys_prefix on api_keys");
    expect(text).not.toContain("Seq Scan");
  });
});

describe("the record of a key's last use", () => {
  it("is written once for 1,000 requests on two processes, and again a minute later", async () => {
    await query(stack, "CREATE TABLE notes (api_key_id uuid)");
    await query(
      stack,
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
       $$ BEGIN INSERT INTO notes VALUES (new.id); RETURN NULL; END $$`,
    );
    await query(stack, "CREATE TRIGGER note AFTER UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION note()");
    const { id, rawKey } = await makeKey(stack, {});
    const notes = async () => (await query(stack, "SELECT FROM notes WHERE api_key_id = $1", [id])).length;

    for (let sent = 0; sent < 1_000; sent += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 === 0 ? http : stack.http).get("/api/limits", { key: rawKey }),
        ),
      );
      expect(answers.filter((answer) => answer.status !== 200)).toEqual([]);
    }
    await expect.poll(notes).toBe(1);

    await query(stack, "ALTER TABLE api_keys DISABLE TRIGGER note");
    await query(
      stack,
      "UPDATE api_keys SET last_used_at = last_used_at - interval '61 seconds' WHERE id = $1",
      [id],
    );
    await query(stack, "ALTER TABLE api_keys ENABLE TRIGGER note");
    for (let sent = 0; sent < 20; sent++) await http.get("/api/limits", { key: rawKey });
    await expect.poll(notes).toBe(2);
  });

  it("never delays a request: 50 requests succeed while the table is locked against writes", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    const lastUsedAt = async () => {
      const [row] = await query<{ last_used_at: Date | null }>(
        stack,
        "SELECT last_used_at FROM api_keys WHERE id = $1",
        [id],
      );
      return row?.last_used_at;
    };
    await using held = await holdStatement(stack, "LOCK TABLE api_keys IN SHARE MODE");
    for (let sent = 0; sent < 50; sent++) {
      expect((await http.get("/api/limits", { key: rawKey })).status).toBe(200);
    }
    expect(await lastUsedAt()).toBeNull();
    await held.commit();
    await expect.poll(lastUsedAt).toBeInstanceOf(Date);
  });
});
