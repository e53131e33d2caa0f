import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type { FindingAssignment } from "@waymark/shared/scans/finding-assignments/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { listAllFindings } from "@waymark/test-support/findings.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

const PATH = "/api/finding-assignments";
const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
const CODES = ["no-auth", "no-example"];

let stack: Stack;
let ada: { id: string; http: HttpClient };
let eve: { id: string; http: HttpClient };
const services: Record<string, string> = {};
const teams: Record<string, string> = {};
/** The assignee of each finding, as the filter names it, by service, code and message. */
const assigned = new Map<string, string>();
const decided = new Set<string>();
const keyOf = (service: string, code: string, message: string) => `${service} ${code} ${message}`;

beforeAll(async () => {
  stack = await startStack();
  [ada, eve] = [await user("Ada"), await user("Eve")];
  for (const slug of ["payments", "orders"]) teams[slug] = await storeTeam(stack, slug);
  await storeTeamMember(stack, { teamId: teams["payments"] ?? "", principalId: ada.id });
  for (const service of ["carts", "refunds"]) {
    const findings = CODES.flatMap((code) => WORDS.map((word) => findingOf(code, word)));
    const { body } = await ingest(stack, {
      ...scanPayload({ serviceName: service, endpoints: 1 }),
      findings,
    });
    await waitForRun(stack, body.scanRunId);
    services[service] = body.serviceId;
    for (const [index, { code, message, method, path }] of findings.entries()) {
      const finding = { method, path, message };
      const to = [ada.id, "payments", "orders", eve.id, undefined][index % 5];
      if (to !== undefined) {
        const by = to.includes("-") ? { principalId: to } : { team: to };
        await assign(body.serviceId, { code, finding, ...by });
        assigned.set(keyOf(service, code, message), to);
      }
      if (index % 3 !== 0) continue;
      const decision = { kind: "wont_fix", serviceId: body.serviceId, code, reason: "r", finding };
      await stack.http.post("/api/finding-decisions", decision);
      decided.add(keyOf(service, code, message));
    }
  }
}, 60_000);
afterAll(() => stack[Symbol.asyncDispose]());

function findingOf(code: string, message: string): NormalizedFinding {
  return { code, severity: code === "no-auth" ? "high" : "low", message, method: "GET", path: "/pets" };
}

/** A user with all rights, and a client with a key of theirs. */
async function user(displayName: string) {
  const { id, rawKey: key } = await storeUser(stack, { displayName });
  return { id, http: createHttpClient(stack.api.baseUrl, { key }) };
}

const assign = (serviceId: string, body: object, http: HttpClient = stack.http) =>
  http.request<FindingAssignment>("PUT", PATH, {
    body: { serviceId, code: "other", finding: { method: null, path: null, message: "m" }, ...body },
  });

const listAll = (search: Record<string, string>, http = ada.http) => listAllFindings({ http }, search);

/** The findings that the filters select, by plain objects. */
function modelOf(assignee: string, state: string | undefined, service: string | undefined): string[] {
  const isWanted = (to: string | undefined) =>
    assignee === "none"
      ? to === undefined
      : assignee === "me"
        ? to === ada.id || to === "payments"
        : to === assignee;
  return Object.keys(services)
    .filter((name) => service === undefined || name === service)
    .flatMap((name) => CODES.flatMap((code) => WORDS.map((word) => keyOf(name, code, word))))
    .filter((key) => isWanted(assigned.get(key)))
    .filter((key) => state === undefined || decided.has(key) === (state === "decided"))
    .toSorted();
}

describe.each([
  [
    "derived",
    () =>
      query(
        stack,
        `SELECT set_config('waymark.organization_id', $1::text, true),
                index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
        [stack.organizationId],
      ),
  ],
  ["not derived yet", () => query(stack, "DELETE FROM service_derivations")],
])("findings of rules that are %s", (_, prepare) => {
  it("are listed, counted and exported by assignee, with a state and a service, as a model says", async () => {
    await prepare();
    for (const assignee of ["me", "none", ada.id, eve.id, "payments", "orders", "nobody-has-this-slug"])
      for (const state of [undefined, "open", "decided"])
        for (const service of [undefined, "carts"]) {
          const search = {
            assignee,
            ...(state !== undefined && { state }),
            ...(service !== undefined && { serviceId: services[service] ?? "" }),
          };
          const wanted = modelOf(assignee, state, service);
          for (const limit of ["200", "9"]) {
            const rows = await listAll({ ...search, limit });
            const keys = rows.map((row) => keyOf(row.serviceName, row.code, row.message)).toSorted();
            expect({ search, keys }).toEqual({ search, keys: wanted });
          }
          const fields = new URLSearchParams(search).toString();
          const { body } = await ada.http.get<FindingSummary>(`/api/findings/summary?${fields}`);
          const { findingCount, findingsByState, findingsBySeverity } = body;
          const ofState = (each: string) => modelOf(assignee, each, service).length;
          expect({ search, findingCount, findingsByState }).toEqual({
            search,
            findingCount: wanted.length,
            findingsByState: { open: ofState("open"), decided: ofState("decided") },
          });
          expect(findingsBySeverity.high).toBe(wanted.filter((key) => key.includes("no-auth")).length);
        }
  });

  it("are searched by assignee", async () => {
    await prepare();
    for (const limit of ["200", "1"]) {
      const found = await listAll({ assignee: "payments", q: "two", limit });
      expect(found.map(({ serviceName, code }) => `${serviceName} ${code}`)).toEqual(
        modelOf("payments", undefined, undefined)
          .filter((key) => key.endsWith(" two"))
          .map((key) => key.replace(" two", "")),
      );
      expect(await listAll({ assignee: "none", q: "two pets nothing", limit })).toEqual([]);
    }
  });
});

it("rows and exports name the assignee and the owner", async () => {
  await stack.http.request("PATCH", `/api/services/${services["carts"]}`, { body: { ownerTeam: "orders" } });
  const [first] = await listAll({ assignee: "payments", serviceId: services["carts"] ?? "" });
  expect(first?.assignee).toEqual({
    type: "team",
    id: teams["payments"],
    displayName: "payments",
    slug: "payments",
  });
  const [mine] = await listAll({ assignee: ada.id });
  expect(mine?.assignee).toEqual({ type: "user", id: ada.id, displayName: "Ada", slug: null });
  const exported = async (format: string) =>
    (await ada.http.get(`/api/findings/export?format=${format}&assignee=me&serviceId=${services["carts"]}`))
      .text;
  const [header, ...lines] = (await exported("csv")).trim().split("\r\n");
  expect(header).toMatch(/,until,owner,assignee,dueOn,isOverdue$/);
  expect(lines).toHaveLength(modelOf("me", undefined, "carts").length);
  for (const line of lines) expect(line).toMatch(/,orders,(payments|Ada),,false$/);
  expect(JSON.stringify(await exported("sarif"))).toMatch(
    /owner[\\":]*orders[\\":,]*assignee[\\":]*payments/,
  );
});

describe("an assignment", () => {
  const list = async (search: string, http: HttpClient = stack.http) =>
    (await http.get<{ assignments: FindingAssignment[] }>(`${PATH}?${search}`)).body.assignments;

  it("to a team takes the place of one to a user, is the members' own, and ends with the team", async () => {
    const serviceId = services["carts"] ?? "";
    const slug = `t-${randomUUID().slice(0, 8)}`;
    const teamId = await storeTeam(stack, slug);
    await storeTeamMember(stack, { teamId, principalId: eve.id });
    const { body: byUser } = await assign(serviceId, { principalId: ada.id });
    const { body: byTeam } = await assign(serviceId, { team: slug }, ada.http);
    expect(byTeam).toMatchObject({
      fingerprint: byUser.fingerprint,
      assignee: { type: "team", id: teamId, displayName: slug, slug },
    });
    const { body: audit } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=1");
    expect(audit.auditEvents).toMatchObject([
      {
        action: "finding.assigned",
        actor: { displayName: "Ada" },
        details: { serviceId, fingerprint: byUser.fingerprint, code: "other", teamId, team: slug },
      },
    ]);
    const { fingerprint } = byUser;
    const ofFinding = `fingerprint=${fingerprint}`;
    expect(await list(`${ofFinding}&assignee=me`, eve.http)).toHaveLength(1);
    expect(await list(`${ofFinding}&assignee=me`, ada.http)).toEqual([]);
    expect(await list(`${ofFinding}&assignee=me`)).toEqual([]);
    expect(await list(`${ofFinding}&assignee=none`)).toEqual([]);
    expect(await list(`${ofFinding}&assignee=${slug}`)).toHaveLength(1);
    expect((await stack.http.request("DELETE", `/api/teams/${teamId}`)).status).toBe(204);
    expect(await list(ofFinding)).toEqual([]);
  });

  it("has one assignee, who may read the service, or a team that the key sees", async () => {
    const [carts = "", refunds = ""] = [services["carts"], services["refunds"]];
    const outsider = await storeUser(stack, {
      displayName: "Out",
      roles: [{ role: "developer", serviceNames: ["refunds"] }],
    });
    const refusal = async (body: object, http?: HttpClient) => {
      const refused = await assign(carts, body, http);
      return [refused.status, errorOf(refused).details?.[0]?.path];
    };
    expect(await refusal({ principalId: ada.id, team: "orders" })).toEqual([400, "team"]);
    expect(await refusal({ team: "me" })).toEqual([400, "team"]);
    expect(await refusal({ team: randomUUID() })).toEqual([400, "team"]);
    expect(await refusal({ team: "not-there" })).toEqual([400, "team"]);
    expect(await refusal({ principalId: outsider.id })).toEqual([400, "principalId"]);
    expect((await assign(refunds, { principalId: outsider.id })).status).toBe(200);
    // The team payments owns nothing that this key may read. The team orders owns the service.
    const scopes = ["findings:decide", "services:read", "endpoints:read"].map((permission) => ({
      permission,
      serviceId: carts,
    }));
    const limited = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
    expect(await refusal({ team: "payments" }, limited)).toEqual([400, "team"]);
    expect((await assign(carts, { team: "orders" }, limited)).status).toBe(200);
    const deciding = createHttpClient(stack.api.baseUrl, {
      key: await createKey(stack, [{ permission: "findings:decide", serviceId: carts }]),
    });
    expect(await refusal({ team: "orders" }, deciding)).toEqual([400, "team"]);
  });

  it("is found by keys for the service, and by nobody of another organization", async () => {
    const scopes = [{ permission: "endpoints:read", serviceId: services["carts"] }];
    const limited = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
    for (const assignee of ["payments", "none", ada.id]) {
      const names = (await listAll({ assignee }, limited)).map(({ serviceName }) => serviceName);
      expect(new Set(names)).toEqual(new Set(["carts"]));
      expect(names).toHaveLength(modelOf(assignee, undefined, "carts").length);
    }
    const stranger = await createHostedOrganization(stack.databaseUrl);
    const foreign = createHttpClient(stack.api.baseUrl, { key: stranger.apiKey });
    for (const assignee of ["payments", ada.id, "none", "me"])
      expect(await listAll({ assignee }, foreign)).toEqual([]);
  });
});
