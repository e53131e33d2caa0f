import { createHash, randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom, scaled } from "@waymark/test-support/scale.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { withOrganization, withOrganizationClient } from "../../db/organization.ts";
import { createDatabasePool, createPgPool, type DatabasePool, type PgPool } from "../../db/pool.ts";
import { cutChunks, linesOf, readTextChunk, type TextChunk, toTextChunks } from "../../lib/text-chunks.ts";
import { comparePromoted } from "../comparisons/tasks.queries.ts";
import { collectDescriptionChunks, collectDescriptions } from "../retention/queries.ts";
import { linkDescription, type NewDescription, readDescriptionChunks, storeDescription } from "./queries.ts";

const ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SERVICE = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";
const organizationId = ORGANIZATION;

let database: TestDatabase;
let pool: PgPool;
let db: DatabasePool;
beforeAll(async () => {
  database = await createTestDatabase();
  const options = { max: 10, applicationName: "test" };
  pool = createPgPool(serviceUrl(database.databaseUrl), { ...options, onError: () => undefined });
  db = await createDatabasePool(serviceUrl(database.databaseUrl), options);
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'A')", [ORGANIZATION]);
  await query(database, "INSERT INTO services (organization_id, id, name) VALUES ($1, $2, 's')", [
    ORGANIZATION,
    SERVICE,
  ]);
});
afterAll(async () => {
  await Promise.all([pool.end(), db.end()]);
  await database[Symbol.asyncDispose]();
});

async function newRun(): Promise<string> {
  const id = randomUUID();
  await query(
    database,
    `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, promote,
                            ordered_at, created_at, created_by_key_id, contract_version)
     VALUES ($1, $2, $3, 'accepted', 'h', 'openapi', 0, 0, true, now(), now(), $2, 1)`,
    [ORGANIZATION, id, SERVICE],
  );
  return id;
}

const deleteRun = (id: string) => query(database, "DELETE FROM scan_runs WHERE id = $1", [id]);

const textOf = (versions: readonly number[]) =>
  versions.map((version, part) => `part ${part} of version ${version}\n`.repeat(60)).join("");

function descriptionOf(text: string): NewDescription {
  const bytes = Buffer.from(text);
  const content = new Map<string, TextChunk>();
  const hash = createHash("sha256").update(bytes).digest("hex");
  const chunks = toTextChunks(cutChunks(linesOf(bytes)), content);
  const canonical = { hash, size: bytes.length, chunks };
  const operationsHash = "00".repeat(32);
  return {
    hash,
    format: "yaml",
    size: bytes.length,
    chunks,
    canonical,
    operationsHash,
    content: [...content.values()],
  };
}

/** Stores a text for a run, as the api does. */
const put = (scanRunId: string, text: string, between: () => Promise<unknown> = async () => undefined) =>
  withOrganization(db, ORGANIZATION, async (tx) => {
    const description = descriptionOf(text);
    await storeDescription(tx, { organizationId, description });
    await between();
    const { hash } = description;
    return linkDescription(tx, { organizationId, scanRunId, hash, createdByKeyId: scanRunId });
  });

const read = async (text: string): Promise<string> => {
  const { hash } = descriptionOf(text);
  const chunks = await withOrganization(db, ORGANIZATION, (tx) =>
    readDescriptionChunks(tx, { organizationId, hash, form: "canonical" }),
  );
  return Buffer.concat(chunks.map(readTextChunk)).toString();
};

async function collectWith(client: PoolClient): Promise<void> {
  const batch = { organizationId, batchMax: 1000 };
  await collectDescriptions(client, batch);
  await collectDescriptionChunks(client, batch);
}
const collect = () => withOrganizationClient(pool, ORGANIZATION, collectWith);

const count = async (table: string) => (await query(database, `SELECT FROM ${table}`)).length;

describe("descriptions that no run has", () => {
  it("are deleted with the chunks that no other description has", async () => {
    const [first, second] = [await newRun(), await newRun()];
    const texts = [textOf([1, 1, 1]), textOf([1, 2, 1])] as const;
    expect([await put(first, texts[0]), await put(second, texts[1])]).toEqual(["created", "created"]);
    await collect();
    expect(await count("descriptions")).toBe(2);
    await deleteRun(first);
    await collect();
    expect(await count("descriptions")).toBe(1);
    expect(await read(texts[1])).toBe(texts[1]);
    expect(await count("description_chunks")).toBe(descriptionOf(texts[1]).content.length);
    await deleteRun(second);
    await collect();
    expect((await count("descriptions")) + (await count("description_chunks"))).toBe(0);
  });

  it("are kept if a request relies on them before it commits", async () => {
    const [old, run] = [await newRun(), await newRun()];
    const text = textOf([3, 3, 3]);
    await put(old, text);
    await deleteRun(old);
    // All chunks are stored and unused, so that none is sent.
    expect(await put(run, text, collect)).toBe("created");
    expect(await read(text)).toBe(text);
    const other = await newRun();
    const shared = textOf([3, 3, 4]);
    await deleteRun(run);
    await withOrganizationClient(pool, ORGANIZATION, (client) =>
      collectDescriptions(client, { organizationId, batchMax: 9 }),
    );
    expect(await put(other, shared, collect)).toBe("created");
    expect(await read(shared)).toBe(shared);
  });

  it("are asked for again if they are deleted before a run that is to have them, or its run is gone", async () => {
    const link = (scanRunId: string, hash: string) =>
      withOrganization(db, ORGANIZATION, (tx) =>
        linkDescription(tx, { organizationId, scanRunId, hash, createdByKeyId: scanRunId }),
      );
    const [old, run] = [await newRun(), await newRun()];
    const text = textOf([7, 7, 7]);
    await put(old, text);
    const { hash } = descriptionOf(text);
    await expect(link(randomUUID(), hash)).rejects.toMatchObject({ code: "not_found" });
    await deleteRun(old);
    await collect();
    await expect(link(run, hash)).rejects.toMatchObject({ code: "description_unknown" });
  });

  it("are sent again if they are deleted at that moment", async () => {
    const [old, run] = [await newRun(), await newRun()];
    const text = textOf([5, 5, 5]);
    await put(old, text);
    await deleteRun(old);
    const { started } = await during(collectWith, () => put(run, text));
    expect(await started).toBe("created");
    expect(await read(text)).toBe(text);
  });
});

describe("a run that is deleted with its description", () => {
  const deleteIn = (scanRunId: string) => async (client: PoolClient) => {
    await client.query("DELETE FROM scan_runs WHERE organization_id = $1 AND id = $2", [
      ORGANIZATION,
      scanRunId,
    ]);
  };
  const tasks = async () =>
    (await query<{ scan_run_id: string }>(database, "SELECT scan_run_id FROM scan_comparison_tasks")).map(
      (task) => task.scan_run_id,
    );

  it("does not keep the run before it from getting one", async () => {
    const [earlier, later] = [await newRun(), await newRun()];
    await put(later, textOf([8, 8, 8]));
    const { started } = await during(deleteIn(later), () => put(earlier, textOf([8, 8, 9])));
    expect(await started).toBe("created");
    expect(await tasks()).toContain(earlier);
    expect(await tasks()).not.toContain(later);
  });

  it("does not keep the run before it from becoming current", async () => {
    const [earlier, later] = [await newRun(), await newRun()];
    for (const run of [earlier, later]) await put(run, textOf([8, 9, 9]));
    const { started } = await during(deleteIn(later), () =>
      withOrganization(db, ORGANIZATION, (tx) => comparePromoted(tx, { organizationId, scanRunId: earlier })),
    );
    await started;
    expect(await tasks()).toContain(earlier);
    expect(await tasks()).not.toContain(later);
  });
});

/** Starts something while a transaction has deleted rows, and commits the transaction once the other one waits for it. */
async function during<Result>(
  remove: (client: PoolClient) => Promise<void>,
  start: () => Promise<Result>,
): Promise<{ started: Promise<Result> }> {
  return withOrganizationClient(pool, ORGANIZATION, async (client) => {
    await remove(client);
    const started = start();
    await waitUntil("the request waits for the deletion", async () => {
      const waiting = await query(
        database,
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return waiting.length > 0;
    });
    return { started };
  });
}

const ROUNDS = scaled({ short: 60, long: 2_000 });

it(
  `of ${ROUNDS} descriptions that go back to earlier parts, none is lost to collections all the while`,
  async () => {
    const random = createRandom("descriptions");
    const kept = new Map<string, string>();
    let rounds = 0;
    const client = async () => {
      while (rounds < ROUNDS) {
        rounds++;
        const text = textOf([random.integer(1, 3), random.integer(1, 3), random.integer(1, 3)]);
        const run = await newRun();
        expect(await put(run, text)).toBe("created");
        kept.set(run, text);
        const [oldest = ""] = kept.keys();
        if (kept.size > 4) {
          kept.delete(oldest);
          await deleteRun(oldest);
        }
      }
    };
    const done = new AbortController();
    const clients = Promise.all([client(), client(), client(), client()]).finally(() => done.abort());
    while (!done.signal.aborted) await collect();
    await clients;
    for (const text of kept.values()) expect(await read(text)).toBe(text);
  },
  60_000 + ROUNDS * 200,
);
