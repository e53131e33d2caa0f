import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type { NormalizedFinding, RunFinding } from "@waymark/shared/scans/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { listAllFindings } from "@waymark/test-support/findings.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const NONE = { info: 0, low: 0, medium: 0, high: 0, critical: 0 };
const place = { method: "GET" as const, path: "/pets/{id}" };
const FINDINGS: NormalizedFinding[] = [
  { severity: "critical", code: "no-auth", message: "open 1", ...place },
  { severity: "critical", code: "no-auth", message: "open 2", method: "POST", path: "/pets" },
  ...Array.from({ length: 40 }, (_, n) => ({
    severity: "high" as const,
    code: "no-example",
    message: `example ${n}`,
    ...place,
    path: `/pets/{id}/${n}`,
  })),
  { severity: "low", code: "no-tags", message: "no tags", method: null, path: null },
];

let stack: Stack;
let serviceId: string;
let scanRunId: string;
const decisions: Record<string, string> = {};

async function decide(name: string, body: object): Promise<void> {
  const decision = { kind: "accepted_risk", reason: name, ...body };
  const { body: made } = await stack.http.post<{ id: string }>("/api/finding-decisions", decision);
  decisions[name] = made.id;
}

beforeAll(async () => {
  stack = await startStack();
  const scan = { ...scanPayload({ serviceName: "orders", endpoints: 1 }), findings: FINDINGS };
  ({ serviceId, scanRunId } = (await ingest(stack, scan)).body);
  await waitForRun(stack, scanRunId);
  const other = await ingest(stack, {
    ...scanPayload({ serviceName: "carts", endpoints: 1 }),
    findings: FINDINGS,
  });
  await waitForRun(stack, other.body.scanRunId);
  const finding = { ...place, message: "open 77" };
  await decide("one", { serviceId, code: "no-auth", finding });
  await decide("third", {
    serviceId,
    code: "no-example",
    finding: { ...place, path: "/pets/{x}/3", message: "example 0" },
  });
  await decide("rule", { serviceId, code: "no-tags", kind: "wont_fix" });
  await decide("expired", { serviceId, code: "no-example" });
  await query(stack, "UPDATE finding_decisions SET until = '2020-01-01' WHERE id = $1", [
    decisions["expired"],
  ]);
});
afterAll(() => stack[Symbol.asyncDispose]());

async function index(): Promise<void> {
  await query(
    stack,
    `SELECT set_config('waymark.organization_id', $1::text, true), index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
    [stack.organizationId],
  );
}

const listAll = (search: Record<string, string>) => listAllFindings(stack, search);

const summaryOf = async (search = "") =>
  (await stack.http.get<FindingSummary>(`/api/findings/summary?serviceId=${serviceId}${search}`)).body;

describe.each([
  ["derived", index],
  ["not derived yet", () => query(stack, "DELETE FROM service_derivations")],
])("findings of rules that are %s", (_, prepare) => {
  it.each(["200", "7", "1"])("are listed by state, in pages of %s", async (limit) => {
    await prepare();
    const ofService = { serviceId, limit };
    const decided = await listAll({ ...ofService, state: "decided" });
    expect(decided.map(({ message, decision }) => [message, decision?.reason])).toEqual([
      ["open 1", "one"],
      ["example 3", "third"],
      ["no tags", "rule"],
    ]);
    const open = await listAll({ ...ofService, state: "open" });
    expect(open.map(({ decision }) => decision)).toEqual(open.map(() => null));
    expect(open).toHaveLength(FINDINGS.length - 3);
    expect((await listAll({ limit, state: "decided" })).map(({ id }) => id)).toEqual(
      decided.map(({ id }) => id),
    );
  });

  it("are searched by state", async () => {
    await prepare();
    for (const limit of ["200", "1"]) {
      const messages = async (state: string) =>
        (await listAll({ serviceId, limit, state, q: "pets example 3" })).map(({ message }) => message);
      expect(await messages("decided")).toEqual(["example 3"]);
      expect((await messages("open")).every((message) => message !== "example 3")).toBe(true);
      expect(await listAll({ serviceId, limit, state: "decided", q: "example 4" })).toEqual([]);
    }
  });

  it("are counted by state", async () => {
    await prepare();
    const all = await summaryOf();
    expect(all).toMatchObject({ findingCount: 43, findingsByState: { open: 40, decided: 3 } });
    expect(await summaryOf("&state=decided")).toMatchObject({
      findingCount: 3,
      findingsBySeverity: { ...NONE, critical: 1, high: 1, low: 1 },
      findingsByState: all.findingsByState,
      ruleCount: 3,
    });
    const open = await summaryOf("&state=open");
    expect(open).toMatchObject({ findingCount: 40, findingsBySeverity: { ...NONE, critical: 1, high: 39 } });
    expect(open.rules.map(({ code }) => code)).toEqual(["no-auth", "no-example"]);
  });

  it("are counted apart for the service, the list of services and the overview", async () => {
    await prepare();
    const decidedBySeverity = { ...NONE, critical: 1, high: 1, low: 1 };
    const { body: service } = await stack.http.get<Service>(`/api/services/${serviceId}`);
    expect(service).toMatchObject({ findingCount: 43, decidedBySeverity });
    const { body: list } = await stack.http.get<{ services: Service[] }>("/api/services");
    expect(list.services.map(({ name, decidedBySeverity: decided }) => [name, decided])).toEqual([
      ["carts", NONE],
      ["orders", decidedBySeverity],
    ]);
    const { body: overview } = await stack.http.get<Overview>("/api/overview");
    expect(overview).toMatchObject({ findingCount: 86, decidedBySeverity });
  });
});

describe("a decision", () => {
  it("marks the findings of a run, and one finding of it, with who decided until when", async () => {
    const { body } = await stack.http.get<{ findings: RunFinding[] }>(
      `/api/scan-runs/${scanRunId}/findings?limit=200`,
    );
    const decided = body.findings.filter(({ decision }) => decision !== null);
    expect(decided).toMatchObject([
      { message: "open 1", decision: { id: decisions["one"], kind: "accepted_risk", target: "finding" } },
      { message: "example 3", decision: { id: decisions["third"], target: "finding" } },
      { message: "no tags", decision: { kind: "wont_fix", target: "rule", until: expect.any(String) } },
    ]);
    expect(new Set(body.findings.map(({ fingerprint }) => fingerprint)).size).toBe(FINDINGS.length);
    const one = await stack.http.get<{ finding: RunFinding }>(`/api/scan-runs/${scanRunId}/findings/0`);
    expect(one.body.finding).toEqual(body.findings[0]);
  });

  it("stays with the next scan, whose numbers and names of path parameters differ", async () => {
    const findings = [{ ...FINDINGS[0], path: "/pets/{petId}", message: "open 12" }, FINDINGS[1]];
    const { body } = await ingest(stack, {
      ...scanPayload({ serviceName: "renamed", endpoints: 1, seed: randomUUID() }),
      findings: findings as NormalizedFinding[],
    });
    await waitForRun(stack, body.scanRunId);
    await decide("renamed", {
      serviceId: body.serviceId,
      code: "no-auth",
      finding: { ...place, message: "open 1" },
    });
    const { body: service } = await stack.http.get<Service>(`/api/services/${body.serviceId}`);
    expect(service).toMatchObject({
      findingsBySeverity: { critical: 2 },
      decidedBySeverity: { ...NONE, critical: 1 },
    });
    await stack.http.request("PATCH", `/api/services/${body.serviceId}`, { body: { archived: true } });
    const archived = await stack.http.get<Service>(`/api/services/${body.serviceId}`);
    expect(archived.body.decidedBySeverity).toEqual({ ...NONE, critical: 1 });
  });

  it("for a rule everywhere covers each service, and its findings are open again when it is revoked", async () => {
    await decide("everywhere", { code: "no-example" });
    expect(await summaryOf("&state=decided")).toMatchObject({ findingCount: 42 });
    const [first] = await listAll({ serviceId, code: "no-example", limit: "1" });
    expect(first?.decision).toMatchObject({ target: "rule_everywhere", reason: "everywhere" });
    expect(
      (await stack.http.request("DELETE", `/api/finding-decisions/${decisions["everywhere"]}`)).status,
    ).toBe(204);
    expect(await summaryOf("&state=decided")).toMatchObject({ findingCount: 3 });
  });

  it("is in exports", async () => {
    const { text: csv } = await stack.http.get(
      `/api/findings/export?format=csv&state=decided&serviceId=${serviceId}`,
    );
    expect(csv.split("\r\n")[0]).toMatch(/,decision,reason,until,owner,assignee,dueOn,isOverdue$/);
    expect(csv).toMatch(/,wont_fix,rule,\d{4}-\d\d-\d\d,,,,false\r\n/);
    const { body: sarif } = await stack.http.get<{ runs: { results: object[] }[] }>(
      `/api/findings/export?format=sarif&serviceId=${serviceId}&severity=low`,
    );
    expect(sarif.runs[0]?.results).toMatchObject([
      { suppressions: [{ kind: "external", status: "accepted", justification: "rule" }] },
    ]);
    const { body: open } = await stack.http.get<{ runs: { results: object[] }[] }>(
      `/api/findings/export?format=sarif&serviceId=${serviceId}&code=no-auth&state=open`,
    );
    expect(open.runs[0]?.results.map((result) => "suppressions" in result)).toEqual([false]);
  });

  it("is found with words behind rules that have the words and a decision, but of different findings", async () => {
    const of = (code: string, message: string): NormalizedFinding => ({
      severity: "high",
      code,
      message,
      method: null,
      path: null,
    });
    const codes = Array.from({ length: 5 }, (_, n) => `behind-${n}`);
    const decided = [...codes.map((code) => of(code, "alpha")), of("behind-last", "beta")];
    const scan = scanPayload({ serviceName: "behind", endpoints: 1 });
    const { body } = await ingest(stack, {
      ...scan,
      findings: [...decided, ...codes.map((code) => of(code, "beta"))],
    });
    await waitForRun(stack, body.scanRunId);
    for (const { code, message } of decided)
      await decide(code, {
        serviceId: body.serviceId,
        code,
        finding: { method: null, path: null, message },
      });
    const search = { serviceId: body.serviceId, limit: "1", q: "beta" };
    expect((await listAll({ ...search, state: "decided" })).map(({ code }) => code)).toEqual(["behind-last"]);
    expect((await listAll({ ...search, state: "open" })).map(({ code }) => code)).toEqual(codes);
  });
});
