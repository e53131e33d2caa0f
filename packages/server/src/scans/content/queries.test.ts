import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createScanStore, type ScanStore } from "@waymark/test-support/scans/stored-scans.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { withOrganization } from "../../db/organization.ts";
import type { ItemPosition } from "../../lib/cursor.ts";
import { createDatabasePool, type DatabasePool } from "../../db/pool.ts";
import { compareScans } from "@waymark/shared/scans/changes.ts";
import { compareRuns } from "../compare-runs.ts";
import { type EndpointPosition, listServiceEndpoints } from "../inventory.queries.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { listEndpoints, listFindings } from "./queries.ts";

let database: TestDatabase;
let client: Client;
let pool: DatabasePool;
let scans: ScanStore;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.databaseUrl });
  await client.connect();
  pool = await createDatabasePool(serviceUrl(database.databaseUrl), { max: 1, applicationName: "test" });
  scans = await createScanStore(client);
});
afterAll(async () => {
  await pool.end();
  await client.end();
  await database[Symbol.asyncDispose]();
});

type Content = Pick<ScanIngestionPayload, "endpoints" | "findings">;
const large = scanPayload({ endpoints: 2000, findings: 500 });

/** All pages of a list, each with the additional row that shows whether there is another page. */
async function readPages<Position, Row extends object>(
  limit: number,
  list: (after: Position | null) => Promise<(Row & { position: Position })[]>,
): Promise<Row[]> {
  const all: (Row & { position: Position })[] = [];
  for (let after: Position | null = null; ;) {
    const rows = await list(after);
    all.push(...rows.slice(0, limit));
    if (rows.length <= limit) return all;
    expect(rows).toHaveLength(limit + 1);
    after = all.at(-1)?.position ?? null;
  }
}

async function readAll(scanRunId: string, limit: number): Promise<Content> {
  const { organizationId } = scans;
  return withOrganization(pool, organizationId, async (tx) => {
    const page = { organizationId, scanRunId, limit };
    const endpoints = await readPages(limit, (after: ItemPosition | null) =>
      listEndpoints(tx, { ...page, after }),
    );
    const findings = await readPages(limit, (after: ItemPosition | null) =>
      listFindings(tx, { ...page, after }),
    );
    return {
      endpoints: endpoints.map(({ endpoint }) => endpoint),
      findings: findings.map(({ finding }) => finding),
    };
  });
}

const contentOf = ({ endpoints, findings }: Content) => ({ endpoints, findings });
const sameEndpoints = (count: number) =>
  Array.from({ length: count }, () => large.endpoints.slice(0, 1)).flat();

describe("paging", () => {
  it.each([1, 3, 7, 50, 200])("reads all items in submitted order, %i a page", async (limit) => {
    const content = scanPayload({ endpoints: 130, findings: 61 });
    expect(await readAll(await scans.store(content), limit)).toEqual(contentOf(content));
  });

  it.each<[string, Content]>([
    ["of a scan at the limits", large],
    ["of an empty scan", { endpoints: [], findings: [] }],
    // A repeated chunk, and chunks of 32 items each.
    ["that are all the same", { endpoints: sameEndpoints(200), findings: [] }],
  ])("reads those %s", async (_name, content) => {
    expect(await readAll(await scans.store(content), 200)).toEqual(contentOf(content));
  });

  it("has nothing after a position that no page returned", async () => {
    const { organizationId } = scans;
    const scanRunId = await scans.store(scanPayload({}));
    const rows = await withOrganization(pool, organizationId, (tx) =>
      listEndpoints(tx, { organizationId, scanRunId, limit: 200, after: { chunk: 999_999_999, ordinal: 0 } }),
    );
    expect(rows).toEqual([]);
  });
});

describe("the endpoints of a service", () => {
  it("are as old as the first of its contents with them, at any position", async () => {
    const own = await createScanStore(client);
    const { organizationId, serviceId } = own;
    const { endpoints } = scanPayload({ endpoints: 60 });
    // One more at the beginning each time, and others at the end once.
    const days = Array.from({ length: 12 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)));
    for (const [day, at] of days.entries()) {
      const tail = day === 4 ? endpoints.slice(40) : endpoints.slice(40, 50);
      await own.store({ endpoints: [...endpoints.slice(11 - day, 40), ...tail], findings: [] }, at);
    }
    const rows = await withOrganization(pool, organizationId, (tx) =>
      readPages(7, (after: EndpointPosition | null) =>
        listServiceEndpoints(tx, {
          organizationId,
          serviceId,
          limit: 7,
          after,
        }),
      ),
    );
    const born = (index: number) => days[Math.max(0, 11 - index)]?.toISOString();
    expect(rows.map(({ endpoint }) => endpoint)).toEqual(
      endpoints
        .slice(0, 50)
        .map((endpoint, index) => ({
          ...endpoint,
          firstSeenAt: index < 11 ? born(index) : days[0]?.toISOString(),
          lastSeenAt: days.at(-1)?.toISOString(),
        }))
        .toSorted((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1)),
    );
  });
});

/** The changes of a release: inserts, removes, changes, moves and repeats some items. */
function edited<Item>(items: readonly Item[], other: readonly Item[], change: (item: Item) => Item) {
  const edit = fc.record({
    what: fc.constantFrom("insert", "remove", "change", "move", "repeat"),
    at: fc.nat(),
    to: fc.nat(),
  });
  return fc.array(edit, { maxLength: 12 }).map((edits) =>
    edits.reduce<Item[]>(
      (list, { what, at, to }, n) => {
        const index = at % Math.max(list.length, 1);
        const [item] = list.slice(index, index + 1);
        const added = other[n];
        if (item === undefined || added === undefined) return list;
        const rest = list.toSpliced(index, 1);
        if (what === "remove") return rest;
        if (what === "change") return list.toSpliced(index, 1, change(item));
        const target = to % (list.length + 1);
        if (what === "move") return rest.toSpliced(target, 0, item);
        // Long enough to repeat whole chunks.
        return list.toSpliced(target, 0, ...(what === "insert" ? [added] : list.slice(index, index + 40)));
      },
      [...items],
    ),
  );
}

const more = scanPayload({ endpoints: 12, findings: 12, seed: "more" });
const contents = (base: Content): fc.Arbitrary<Content> =>
  fc.record({
    endpoints: edited(base.endpoints, more.endpoints, (one) => ({ ...one, summary: "changed" })),
    findings: edited(base.findings, more.findings, (one) => ({ ...one, severity: "high" as const })),
  });

function compareStored(beforeId: string | null, afterId: string) {
  const { organizationId } = scans;
  return withOrganization(pool, organizationId, (tx) =>
    compareRuns(tx, { organizationId, beforeId, afterId }),
  );
}

/** The result in an order that depends only on its items. */
function sorted({ endpoints, findings }: ReturnType<typeof compareScans>) {
  return [endpoints, findings].map((lists) =>
    Object.values(lists).map((items) => items.map((item: unknown) => JSON.stringify(item)).toSorted()),
  );
}

describe("comparing two runs", () => {
  it("finds the same as comparing their complete contents, after any changes", async () => {
    const base = scanPayload({ endpoints: 90, findings: 40 });
    await fc.assert(
      fc.asyncProperty(contents(base), contents(base), async (before, after) => {
        const answer = await compareStored(await scans.store(before), await scans.store(after));
        expect(sorted(answer)).toEqual(sorted(compareScans(before, after)));
      }),
      { numRuns: 60 },
    );
  });

  it("compares with nothing, and with itself", async () => {
    const id = await scans.store(large);
    expect(await compareStored(null, id)).toEqual(compareScans({ endpoints: [], findings: [] }, large));
    expect(await compareStored(id, id)).toEqual(compareScans(large, large));
  });
});
