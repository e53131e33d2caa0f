import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Unique indexes that do not begin with the organization, and why. Each is work on the way to more than one Postgres. */
const EXCEPTIONS = {
  api_keys_prefix: "a request has its key only, and the key's row says which organization it is of",
  identity_providers_id:
    "a sign-in names its provider only, and the provider's row says which organization it is of",
  invitations_token:
    "whoever accepts an invitation has its token only, and the row says which organization it is of",
  journey_run_links_token:
    "whoever opens a link has its token only, and the row says which organization it is of",
  sessions_token:
    "a request of the console has its cookie only, and the session's row says which organization it is of",
  organizations_pkey: "its id is the organization",
  sign_in_domains_domain: "a domain of e-mail addresses leads to one organization",
  sign_ins_token:
    "whoever completes a sign-in has its token only, and the row says which organization it is of",
  service_badges_token:
    "a badge's address has its token only, and the badge's row says which organization it is of",
  waymark_compatibility_pkey: "a table of migrate's: one row for the whole database",
  waymark_functions_pkey: "a table of migrate's: one row for each file of functions",
  waymark_migrations_pkey: "a table of migrate's: one row for each migration",
};

/** Tables of runs with the column that has the run's id, a UUIDv7. */
const RUNS = {
  scan_runs: "id",
  scan_payloads: "scan_run_id",
  journey_runs: "id",
  journey_run_steps: "run_id",
};

/** Unique indexes of these tables without the run's id, and why. */
const NOT_BY_RUN = {
  journey_runs_by_request:
    "it finds the run that an Idempotency-Key made; idempotency_keys does that for scans",
};

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database[Symbol.asyncDispose]());

interface UniqueIndex {
  table: string;
  name: string;
  columns: string[];
}

function uniqueIndexes(): Promise<UniqueIndex[]> {
  return query<UniqueIndex>(
    database,
    `SELECT i.indrelid::regclass::text AS "table", i.indexrelid::regclass::text AS name,
            ARRAY(SELECT pg_get_indexdef(i.indexrelid, n, true) FROM generate_series(1, i.indnkeyatts) AS n ORDER BY n) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace ORDER BY 2`,
  );
}

describe("the key by which data can be distributed (ADR 32)", () => {
  it("begins every primary key and unique constraint, with exceptions that say why", async () => {
    const indexes = await uniqueIndexes();
    expect(indexes.length).toBeGreaterThan(40);
    const others = indexes.filter(({ columns }) => columns[0] !== "organization_id");
    expect(others.map(({ name }) => name)).toEqual(Object.keys(EXCEPTIONS).toSorted());
  });

  it("begins every foreign key, so that rows that belong together are of one organization", async () => {
    const rows = await query<{ name: string; first: string }>(
      database,
      `SELECT conname AS name, attname AS first FROM pg_constraint c
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
       WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter(({ first }) => first !== "organization_id")).toEqual([]);
  });

  it("has, in the tables of runs, the run's id beside it, by which they can be partitioned", async () => {
    const indexes = await uniqueIndexes();
    const without = Object.entries(RUNS).flatMap(([table, id]) => {
      const own = indexes.filter((index) => index.table === table);
      expect(own.length).toBeGreaterThan(0);
      return own.filter(({ columns }) => !columns.includes(id)).map(({ name }) => name);
    });
    expect(without).toEqual(Object.keys(NOT_BY_RUN));
  });

  it("finds a primary key without it, so that this test can fail", async () => {
    await query(database, "CREATE TABLE astray (id uuid PRIMARY KEY, organization_id uuid)");
    const others = (await uniqueIndexes()).filter(({ columns }) => columns[0] !== "organization_id");
    expect(others.map(({ name }) => name)).toContain("astray_pkey");
  });
});

describe("scan_runs", () => {
  const monthStart = (time: string) =>
    `${BigInt(Date.parse(time))
      .toString(16)
      .padStart(12, "0")
      .replace(/^(.{8})/, "$1-")}-0000-0000-000000000000`;

  it("can be partitioned by the time in their id, and a month is dropped without a statement on its rows", async () => {
    const [november, december, january] = ["2026-11-01", "2026-12-01", "2027-01-01"].map(monthStart);
    await query(
      database,
      `CREATE TABLE runs_by_month (LIKE scan_runs INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (organization_id, id))
       PARTITION BY RANGE (id)`,
    );
    for (const [name, from, to] of [
      ["november", november, december],
      ["december", december, january],
    ]) {
      const bounds = `FOR VALUES FROM ('${from}') TO ('${to}')`;
      await query(database, `CREATE TABLE runs_of_${name} PARTITION OF runs_by_month ${bounds}`);
    }
    const plan = await query<Record<string, string>>(
      database,
      `EXPLAIN SELECT FROM runs_by_month WHERE organization_id = '${november}' AND id = '${december}'`,
    );
    expect(JSON.stringify(plan)).toContain("runs_of_december");
    expect(JSON.stringify(plan)).not.toContain("runs_of_november");
    await query(database, "DROP TABLE runs_of_november");
  });
});
