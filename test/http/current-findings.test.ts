import {
  type CurrentFinding,
  EXPORT_FINDINGS_MAX,
  type FindingSummary,
} from "@waymark/shared/scans/current-findings/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { findingIdOf } from "@waymark/server/scans/finding-id.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const finding = (
  severity: NormalizedFinding["severity"],
  code: string,
  message = "m",
): NormalizedFinding => ({
  severity,
  code,
  message,
  method: null,
  path: null,
});

const FINDINGS: Record<string, NormalizedFinding[]> = {
  orders: [
    finding("low", "no-tags"),
    finding("critical", "no-auth", "orders 1"),
    finding("critical", "no-auth", "orders 2"),
  ],
  payments: [
    ...Array.from({ length: 40 }, (_, n) => finding("medium", "no-summary", `payments ${n}`)),
    finding("critical", "no-auth", "payments 1"),
    finding("low", "no-summary", "mild"),
  ],
  clean: [],
};

/** All of them in the order of the list: severity, rule, service, place. */
const ORDERED = [
  "critical no-auth orders orders 1",
  "critical no-auth orders orders 2",
  "critical no-auth payments payments 1",
  ...Array.from({ length: 40 }, (_, n) => `medium no-summary payments payments ${n}`).toSorted(),
  "low no-summary payments mild",
  "low no-tags orders m",
];

let stack: Stack;
let strangersKey: string;
const services: Record<string, string> = {};
const runs: Record<string, string> = {};
beforeAll(async () => {
  stack = await startStack();
  for (const [name, findings] of Object.entries(FINDINGS)) await scan(name, findings);
  strangersKey = (await createHostedOrganization(stack.databaseUrl, "Strangers")).apiKey;
});
afterAll(() => stack[Symbol.asyncDispose]());

async function scan(serviceName: string, findings: NormalizedFinding[]): Promise<string> {
  const { body } = await ingest(stack, { ...scanPayload({ serviceName, endpoints: 1 }), findings });
  await waitForRun(stack, body.scanRunId);
  services[serviceName] = body.serviceId;
  runs[serviceName] = body.scanRunId;
  return body.scanRunId;
}

interface Page {
  findings: CurrentFinding[];
  nextCursor?: string;
}

async function listAll(search: Record<string, string> = {}, key?: string): Promise<CurrentFinding[]> {
  const found: CurrentFinding[] = [];
  let cursor: string | undefined;
  do {
    const parameters = new URLSearchParams({ ...search, ...(cursor !== undefined && { cursor }) });
    const { body } = await stack.http.get<Page>(
      `/api/findings?${String(parameters)}`,
      key === undefined ? {} : { key },
    );
    found.push(...body.findings);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return found;
}

const lines = (found: readonly CurrentFinding[]) =>
  found.map(({ severity, code, serviceName, message }) => `${severity} ${code} ${serviceName} ${message}`);

async function summary(search = "", key?: string): Promise<FindingSummary> {
  const { body } = await stack.http.get<FindingSummary>(
    `/api/findings/summary${search}`,
    key === undefined ? {} : { key },
  );
  return body;
}

/** As before the worker's next sweep. */
const forgetIndex = () => query(stack, "DELETE FROM service_derivations");

async function index(): Promise<void> {
  await query(
    stack,
    `SELECT set_config('waymark.organization_id', $1::text, true), index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
    [stack.organizationId],
  );
}

describe.each([
  ["indexed", index],
  ["not indexed yet", forgetIndex],
  [
    "indexed in part",
    async () => {
      await index();
      await query(stack, "DELETE FROM service_derivations WHERE service_id = $1", [services["orders"]]);
    },
  ],
])("the findings of all services, %s,", (_, prepare) => {
  it.each([200, 7, 1])("are listed worst first, in pages of %i", async (limit) => {
    await prepare();
    expect(lines(await listAll({ limit: String(limit) }))).toEqual(ORDERED);
  });

  it("are filtered by severity, rule and service", async () => {
    await prepare();
    const filtered = async (search: Record<string, string>) =>
      lines(await listAll({ ...search, limit: "3" }));
    const { orders: serviceId = "" } = services;
    expect(await filtered({ severity: "low" })).toEqual(ORDERED.slice(-2));
    expect(await filtered({ code: "no-summary" })).toEqual(ORDERED.slice(3, 44));
    expect(await filtered({ serviceId })).toEqual([...ORDERED.slice(0, 2), ...ORDERED.slice(-1)]);
    expect(await filtered({ serviceId: serviceId.toUpperCase(), code: "no-auth" })).toEqual(
      ORDERED.slice(0, 2),
    );
    expect(await filtered({ severity: "info" })).toEqual([]);
  });

  it("are counted by severity, rule and service, each without its own filter", async () => {
    await prepare();
    const all = await summary();
    expect(all).toEqual({
      findingCount: 45,
      findingsByState: { open: 45, decided: 0 },
      findingsByDue: { overdue: 0, soon: 0 },
      findingsBySeverity: { critical: 3, high: 0, medium: 40, low: 2, info: 0 },
      // At midnight, none is of today any more.
      findingsByAge: { today: expect.any(Number) as number, week: 45, month: 45, older: 0 },
      rules: [
        { code: "no-auth", severity: "critical", findingCount: 3, serviceCount: 2 },
        { code: "no-summary", severity: "medium", findingCount: 41, serviceCount: 1 },
        { code: "no-tags", severity: "low", findingCount: 1, serviceCount: 1 },
      ],
      ruleCount: 3,
      services: [
        { serviceId: services["payments"], serviceName: "payments", findingCount: 42 },
        { serviceId: services["orders"], serviceName: "orders", findingCount: 3 },
      ],
      serviceCount: 2,
    });
    const low = await summary(`?severity=low&serviceId=${services["orders"]}`);
    expect(low.findingCount).toBe(1);
    expect(low.findingsBySeverity).toEqual({ critical: 2, high: 0, medium: 0, low: 1, info: 0 });
    expect(low.rules.map(({ code }) => code)).toEqual(["no-tags"]);
    expect(low.services.map(({ serviceName }) => serviceName)).toEqual(["orders", "payments"]);
  });

  it("are searched by the beginnings of words of their messages and places", async () => {
    await prepare();
    const search = async (q: string, limit = "3") => lines(await listAll({ q, limit }));
    expect(await search("ORD")).toEqual(ORDERED.slice(0, 2));
    expect(await search("payments 3")).toEqual(ORDERED.filter((line) => /payments payments 3/.test(line)));
    expect(await search("ments")).toEqual([]);
    expect(await search("payments orders")).toEqual([]);
    expect(await search("1 {")).toEqual(ORDERED.filter((line) => / 1\d?$/.test(line)));
    expect(await search("{}", "200")).toEqual(ORDERED);
    expect(lines(await listAll({ q: "payments 2", severity: "critical" }))).toEqual([]);
  });

  it("have the index by which they are read in their run", async () => {
    await prepare();
    for (const { scanRunId, index: place, message } of await listAll({ limit: "9" })) {
      const { body } = await stack.http.get<{ finding: NormalizedFinding }>(
        `/api/scan-runs/${scanRunId}/findings/${place}`,
      );
      expect(body.finding.message).toBe(message);
    }
  });
});

describe("the findings of all services", () => {
  it("are those of current runs only, indexed before or after the next scan", async () => {
    await scan("replaced", [finding("high", "before")]);
    await index();
    await scan("replaced", [finding("high", "after")]);
    expect(lines(await listAll({ severity: "high" }))).toEqual(["high after replaced m"]);
    await index();
    expect(lines(await listAll({ severity: "high" }))).toEqual(["high after replaced m"]);
    const rows = await query(stack, "SELECT code FROM service_rules WHERE service_id = $1", [
      services["replaced"],
    ]);
    expect(rows).toEqual([{ code: "after" }]);
    await scan("replaced", []);
    expect(await listAll({ severity: "high" })).toEqual([]);
    expect((await summary()).findingCount).toBe(45);
  });

  it("are filtered by the day when the service first had them, of whatever severity", async () => {
    const old = [finding("low", "aged", "old"), finding("low", "aged", "week")];
    await scan("aging", old.slice(0, 1));
    await scan("aging", old);
    await scan("aging", [
      { ...finding("low", "aged", "old"), severity: "high" },
      finding("low", "aged", "week"),
      finding("low", "aged", "new"),
    ]);
    await query(
      stack,
      // The newest finding is first seen in an hour: it counts as today's even if midnight passes meanwhile.
      `UPDATE service_snapshots s
       SET first_seen_at = now() + CASE n.finding_count WHEN 1 THEN -40 * 24 WHEN 2 THEN -5 * 24 ELSE 1 END * interval '1 hour'
       FROM snapshots n WHERE n.id = s.snapshot_id AND s.service_id = $1`,
      [services["aging"]],
    );
    const seen = async (firstSeen: string) => lines(await listAll({ code: "aged", firstSeen, limit: "1" }));
    const aged = {
      today: ["low aged aging new"],
      week: ["low aged aging week", "low aged aging new"],
      month: ["low aged aging week", "low aged aging new"],
      older: ["high aged aging old"],
    };
    for (const prepare of [forgetIndex, index]) {
      await prepare();
      for (const [age, expected] of Object.entries(aged)) expect(await seen(age)).toEqual(expected);
      const { findingCount, findingsByAge } = await summary("?code=aged&firstSeen=week");
      expect([findingCount, findingsByAge]).toEqual([2, { today: 1, week: 2, month: 2, older: 1 }]);
    }
    await scan("aging", []);
  });

  it("go on after the last one, also if its service has other findings meanwhile", async () => {
    await scan("moving", [finding("info", "a", "1"), finding("info", "b", "1")]);
    const { body } = await stack.http.get<Page>("/api/findings?severity=info&limit=1");
    expect(lines(body.findings)).toEqual(["info a moving 1"]);
    await scan("moving", [finding("info", "b", "2")]);
    expect(lines(await listAll({ severity: "info", cursor: body.nextCursor ?? "" }))).toEqual([
      "info b moving 2",
    ]);
    await scan("moving", []);
  });

  it("are shown to no other organization", async () => {
    expect(await listAll({}, strangersKey)).toEqual([]);
    expect(await summary("", strangersKey)).toMatchObject({ findingCount: 0, rules: [], services: [] });
    expect(await listAll({ serviceId: services["orders"] ?? "" }, strangersKey)).toEqual([]);
  });

  it("are those of its services for a key that is limited to services", async () => {
    const ofOne = [{ permission: "endpoints:read", serviceId: services["orders"] ?? "" }];
    const byName = [{ permission: "endpoints:read", resourceConstraints: { serviceNames: ["pay*"] } }];
    const orders = await createKey(stack, ofOne);
    expect(lines(await listAll({}, orders))).toEqual([...ORDERED.slice(0, 2), ...ORDERED.slice(-1)]);
    expect((await summary("", orders)).services.map(({ serviceName }) => serviceName)).toEqual(["orders"]);
    expect(await listAll({ serviceId: services["payments"] ?? "" }, orders)).toEqual([]);
    expect((await summary("", await createKey(stack, byName))).findingCount).toBe(42);
  });

  it.each([
    "?limit=201",
    "?cursor=bm8",
    "?cursor=WyJsb3ciLCJcdTAwMDAiLCJzIiwwXQ",
    "?severity=bad",
    "?serviceId=1",
    "?code=%00",
    "?x=a",
    "?q=",
    "?q=%00",
    "?firstSeen=yesterday",
  ])("are refused for %s", async (search) => {
    expect((await stack.http.get(`/api/findings${search}`)).status).toBe(400);
  });
});

describe("an export of findings", () => {
  const AWKWARD = ['=HYPERLINK("x")', "+1", "-1", "@SUM(1)", "\tx", 'a "b", c', "two\r\nlines", "é😀漢"];
  beforeAll(() =>
    scan(
      "awkward",
      AWKWARD.map((message) => finding("info", "awkward, rule", message)),
    ),
  );
  afterAll(() => scan("awkward", []));

  const download = (search: string, key?: string) =>
    stack.http.get(`/api/findings/export${search}`, key === undefined ? {} : { key });

  it("is CSV that has no formulas for spreadsheets", async () => {
    const { headers, text } = await download("?format=csv&severity=info");
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="findings.csv"');
    const serviceId = services["awkward"] ?? "";
    const end = `,,,awkward,${serviceId},${runs["awkward"]}`;
    const cells = [
      `"'=HYPERLINK(""x"")"`,
      "'+1",
      "'-1",
      "'@SUM(1)",
      "'\tx",
      `"a ""b"", c"`,
      '"two\r\nlines"',
      "é😀漢",
    ];
    const rows = cells
      .map((cell, position) => ({ cell, message: AWKWARD[position] ?? "" }))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a.message), Buffer.from(b.message)))
      .map(({ cell, message }) => {
        const id = findingIdOf(serviceId, { code: "awkward, rule", method: null, path: null, message });
        return `info,"awkward, rule",${cell}${end},${id},,,,,,,false\r\n`;
      });
    expect(text).toBe(
      `severity,code,message,method,path,serviceName,serviceId,scanRunId,id,decision,reason,until,owner,assignee,dueOn,isOverdue\r\n${rows.join("")}`,
    );
  });

  it("is JSON with all of what passes the filters, over several pages", async () => {
    const many = Array.from({ length: 500 }, (_, place) => finding("high", `r${place % 3}`, String(place)));
    for (const name of ["many-1", "many-2", "many-3"]) await scan(name, many);
    const { text } = await download("?format=json&severity=high");
    const { findings } = JSON.parse(text) as { findings: CurrentFinding[] };
    expect(findings).toEqual(await listAll({ severity: "high", limit: "200" }));
    expect(findings).toHaveLength(1500);
    const { text: none } = await download("?format=json&code=unknown");
    expect(JSON.parse(none)).toEqual({ findings: [] });
    for (const name of ["many-1", "many-2", "many-3"]) await scan(name, []);
  });

  it("is SARIF with the rules and where they are broken", async () => {
    const { headers, text } = await download("?format=sarif&code=no-auth");
    expect(headers.get("content-type")).toBe("application/sarif+json; charset=utf-8");
    const { version, runs: sarif } = JSON.parse(text) as {
      version: string;
      runs: { results: Record<string, unknown>[]; tool: { driver: { rules: unknown[] } } }[];
    };
    expect([version, sarif.length]).toEqual(["2.1.0", 1]);
    expect(sarif[0]?.tool.driver.rules).toMatchObject([
      { id: "no-auth", shortDescription: { text: "No auth" }, defaultConfiguration: { level: "error" } },
    ]);
    expect(sarif[0]?.results).toMatchObject([
      {
        ruleId: "no-auth",
        level: "error",
        message: { text: "orders 1" },
        locations: [{ logicalLocations: [{ fullyQualifiedName: "orders", kind: "resource" }] }],
      },
      { message: { text: "orders 2" } },
      { message: { text: "payments 1" } },
    ]);
    const ids = sarif[0]?.results.map((result) => JSON.stringify(result["partialFingerprints"]));
    expect(new Set(ids).size).toBe(3);
  });

  it("has the findings that the key can see", async () => {
    const key = await createKey(stack, [
      { permission: "endpoints:read", serviceId: services["orders"] ?? "" },
    ]);
    const { text } = await download("?format=csv", key);
    expect(text.match(/\r\n/g)).toHaveLength(1 + 3);
    expect(text).not.toContain("payments");
  });

  it("has at most the findings that the limit allows, and says how many pass the filters", async () => {
    await scan("huge", [finding("low", "huge")]);
    await query(
      stack,
      `SELECT set_config('waymark.organization_id', $1::text, true),
              index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
      [stack.organizationId],
    );
    const count = (findingCount: number) =>
      query(stack, "UPDATE service_rules SET finding_count = $2 WHERE service_id = $1", [
        services["huge"],
        findingCount,
      ]);
    await count(EXPORT_FINDINGS_MAX);
    expect((await download("?format=json&code=huge")).status).toBe(200);
    await count(EXPORT_FINDINGS_MAX + 1);
    const refused = await download("?format=json&code=huge");
    expect([refused.status, errorOf(refused)]).toMatchObject([
      400,
      {
        code: "validation_failed",
        message: expect.stringContaining("at most 100,000 findings, and 100,001 pass these filters"),
      },
    ]);
    expect((await download("?format=csv")).status).toBe(400);
    expect((await download("?format=csv&severity=critical")).status).toBe(200);
    await scan("huge", []);
  });

  it.each(["", "?format=xml", "?format=csv&limit=1"])("is refused for %s", async (search) => {
    expect((await download(search)).status).toBe(400);
  });
});
