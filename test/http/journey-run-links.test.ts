import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type {
  CreatedJourneyRunLink,
  JourneyRunLink,
  OpenedJourneyRunLink,
} from "@waymark/shared/journey-runs/links/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import {
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { storeDocument, waitForJourneyRun } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startApi, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PATH = "things.journey.yaml";
const ENVIRONMENT = "secret-staging";

let target: JourneyTarget;
let stack: Stack;
let runId: string;
let journeyId: string;
let environmentId: string;
beforeAll(async () => {
  target = await startJourneyTarget();
  stack = await startStack({
    workerEnv: { WORKER_ROLES: "journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
  });
  const files = thingsJourney({ events: 1 });
  files[PATH] = (files[PATH] ?? "").replace("$statusCode == 201", "$statusCode == 299");
  for (const [path, text] of Object.entries(files)) await storeDocument(stack, { path, text });
  const servers = { things: target.url };
  const environment = await stack.http.post<{ id: string }>("/api/environments", {
    name: ENVIRONMENT,
    servers,
  });
  environmentId = environment.body.id;
  const request = { path: PATH, environmentId, inputs: { run: "r" } };
  runId = (await stack.http.post<{ runId: string }>("/api/journey-runs", request)).body.runId;
  await waitForJourneyRun(stack, runId);
  ({ journeyId } = (await stack.http.get<{ journeyId: string }>(`/api/journey-runs/${runId}`)).body);
}, 120_000);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const linksOf = (id = runId) => `/api/journey-runs/${id}/links`;
const share = (body: object = {}, http: HttpClient = stack.http) =>
  http.post<CreatedJourneyRunLink>(linksOf(), body);
const tokenOf = ({ url }: { url: string }) => url.split("#")[1] ?? "";
const open = (token: string, more: object = {}) =>
  stack.http.post<OpenedJourneyRunLink>("/api/shared-journey-run", { token, ...more }, { key: null });
const list = async (http: HttpClient = stack.http) =>
  (await http.get<{ links: JourneyRunLink[] }>(linksOf())).body.links;
const end = (id: string, http: HttpClient = stack.http) => http.request("DELETE", `${linksOf()}/${id}`);
const clientOf = (key: string) => createHttpClient(stack.api.baseUrl, { key });

/** Returns the answer for a link that does not work, without the id of the request. */
async function refusal(token: string): Promise<string> {
  const { status, text } = await open(token);
  return `${status} ${text.replace(/"requestId":"[^"]*"/, "")}`;
}
const UNKNOWN = `wml_${"a".repeat(43)}`;

describe("a link to a run", () => {
  it("opens the run without a key, and says in its list how often", async () => {
    const created = await share({ note: "for Bob" });
    expect(created.status).toBe(201);
    expect(created.body.url).toMatch(/\/shared\/run#wml_[\w-]{43}$/);
    expect(created.headers.get("cache-control")).toBe("no-store");
    const token = tokenOf(created.body);
    for (let times = 0; times < 2; times++) {
      const opened = await open(token);
      expect(opened.headers.get("cache-control")).toBe("no-store");
      expect(opened.body).toMatchObject({ includes: "verdicts", run: { title: "Things", status: "failed" } });
      expect(opened.body.steps.length).toBeGreaterThan(0);
    }
    expect((await open(token, { after: 0 })).body.steps.map(({ seq }) => seq)).not.toContain(0);
    const [link] = await list();
    expect(link).toMatchObject({ note: "for Bob", openCount: 2, isOwn: true, includes: "verdicts" });
    expect(Date.parse(link?.expiresAt ?? "") - Date.parse(link?.createdAt ?? "")).toBe(7 * 24 * 3600_000);
    expect(JSON.stringify(await list())).not.toContain("wml_");
  });

  it("shows only verdicts unless it includes more, and no id, name or address of anything else", async () => {
    const { text, body } = await open(tokenOf((await share()).body));
    const failed = body.steps.find(({ result }) => result.status === "failed");
    expect(failed?.result.assertions).toContainEqual(
      expect.objectContaining({ condition: expect.stringContaining("299"), status: "failed" }),
    );
    const hidden = [runId, journeyId, environmentId, stack.organizationId, ENVIRONMENT, PATH, "127.0.0.1"];
    for (const each of [...hidden, String(target.port), "for Bob"]) expect(text).not.toContain(each);
    for (const name of [
      "actual",
      "expected",
      "reason",
      "notes",
      "url",
      "because",
      "source",
      "headers",
      "evidence",
      "outputs",
      "explanation",
    ])
      expect(text).not.toContain(`"${name}":`);
  });

  it("shows requests and responses if it includes them, as the page of the run does, and no ids or names", async () => {
    const { text, body } = await open(tokenOf((await share({ includes: "exchanges" })).body));
    const exchange = body.steps.find(({ result }) => result.evidence !== undefined)?.result.evidence;
    expect(exchange?.request.url).toContain(target.url);
    expect(text).toContain('"outputs"');
    for (const each of [runId, journeyId, environmentId, stack.organizationId, ENVIRONMENT, PATH, '"source"'])
      expect(text).not.toContain(each);
  });

  it("does not work when it is ended, has expired, or never was, with one same answer", async () => {
    const [ended, expired] = [(await share()).body, (await share({ hours: 1 })).body];
    expect((await end(ended.id)).status).toBe(204);
    expect((await end(ended.id)).status).toBe(404);
    await query(stack, "UPDATE journey_run_links SET expires_at = now() WHERE id = $1", [expired.id]);
    const answers = new Set<string>();
    for (const token of [tokenOf(ended), tokenOf(expired), UNKNOWN, "x", "", `${tokenOf(ended)}a`])
      answers.add(await refusal(token));
    expect([...answers]).toEqual([expect.stringMatching(/^404 .*does not work/)]);
    expect((await list()).map(({ id }) => id)).not.toContain(expired.id);
    await share();
    expect(await query(stack, "SELECT FROM journey_run_links WHERE id = $1", [expired.id])).toEqual([]);
  });

  it("ends with the right of its maker: a role that is taken, a disabled person, a revoked key", async () => {
    await stack.http.request("PUT", "/api/roles/sharer", {
      body: { permissions: ["journeys:read", "journeys:share"] },
    });
    const ada = await storeUser(stack, { displayName: "Ada", roles: ["sharer"] });
    const token = tokenOf((await share({}, clientOf(ada.rawKey))).body);
    const set = (permissions: string[]) =>
      stack.http.request("PUT", "/api/roles/sharer", { body: { permissions } });
    const unknown = await refusal(UNKNOWN);
    expect((await open(token)).status).toBe(200);
    await set(["journeys:read"]);
    expect(await refusal(token)).toBe(unknown);
    await set(["journeys:share"]);
    expect(await refusal(token)).toBe(unknown);
    await set(["journeys:read", "journeys:share"]);
    expect((await open(token)).status).toBe(200);
    await stack.http.post(`/api/principals/${ada.id}/disable`);
    expect(await refusal(token)).toBe(unknown);
    const created = await stack.http.post<{ id: string; rawKey: string }>("/api/api-keys", {
      name: "k",
      ownerPrincipalType: "service_account",
      scopes: ["journeys:read", "journeys:share"],
    });
    const byKey = tokenOf((await share({}, clientOf(created.body.rawKey))).body);
    expect((await open(byKey)).status).toBe(200);
    await query(stack, "UPDATE api_keys SET revoked_at = now() WHERE id = $1", [created.body.id]);
    expect(await refusal(byKey)).toBe(unknown);
  });

  it("is made only with journeys:share, which no role but the administrator's has, and by keys without networks", async () => {
    for (const role of ["viewer", "developer", "journey-editor"]) {
      const { rawKey } = await storeUser(stack, { roles: [role] });
      expect((await share({}, clientOf(rawKey))).status).toBe(403);
      expect((await list(clientOf(rawKey))).length).toBeGreaterThan(0);
    }
    const other = [{ permission: "*", environmentId: randomUUID() }];
    expect((await share({}, clientOf(await createKey(stack, other)))).status).toBe(403);
    const bound = await stack.http.post<{ rawKey: string }>("/api/api-keys", {
      name: "bound",
      ownerPrincipalType: "service_account",
      scopes: ["journeys:read", "journeys:share"],
      allowedNetworks: ["127.0.0.0/8", "::1/128"],
    });
    expect(errorOf(await share({}, clientOf(bound.body.rawKey)))).toMatchObject({ status: 403 });
  });

  it("is ended by its maker and by administrators, which the audit record says, and by nobody else", async () => {
    const scopes = ["journeys:read", "journeys:share"];
    const [maker, other] = [
      clientOf(await createKey(stack, scopes)),
      clientOf(await createKey(stack, scopes)),
    ];
    const [first, second] = [(await share({}, maker)).body, (await share({}, maker)).body];
    expect((await end(first.id, other)).status).toBe(403);
    expect((await end(first.id, maker)).status).toBe(204);
    expect((await end(second.id)).status).toBe(204);
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=6");
    const events = body.auditEvents.filter(({ action }) => action.startsWith("journey_run_link."));
    expect(events).toMatchObject([
      { action: "journey_run_link.ended", details: { linkId: second.id, runId, openCount: 0 } },
      { action: "journey_run_link.ended", details: { linkId: first.id, runId, openCount: 0 } },
      { action: "journey_run_link.created", details: { linkId: second.id, runId, includes: "verdicts" } },
      { action: "journey_run_link.created", details: { linkId: first.id } },
    ]);
    expect(JSON.stringify(body)).not.toContain("wml_");
  });

  it("does not lead to other runs, nor do its ids in the path of another run or organization", async () => {
    const { body: link } = await share();
    const another = `${linksOf(randomUUID())}/${link.id}`;
    expect((await stack.http.request("DELETE", another)).status).toBe(404);
    const stranger = clientOf((await createHostedOrganization(stack.databaseUrl)).apiKey);
    expect((await stranger.get(linksOf())).status).toBe(404);
    expect((await share({}, stranger)).status).toBe(404);
    expect((await end(link.id, stranger)).status).toBe(404);
    // The token is no key.
    expect((await stack.http.get(`/api/journey-runs/${runId}`, { key: tokenOf(link) })).status).toBe(401);
    const body = { token: tokenOf(link), runId: randomUUID() };
    expect((await stack.http.post("/api/shared-journey-run", body, { key: null })).status).toBe(400);
    expect((await open(tokenOf(link))).status).toBe(200);
  });

  it("expires with the key of its maker, if that is earlier", async () => {
    const scopes = ["journeys:read", "journeys:share"];
    const inHours = (hours: number) => new Date(Date.now() + hours * 3600_000);
    for (const [expiresAt, isEarlier] of [
      [inHours(2), true],
      [inHours(48), false],
    ] as const) {
      const http = clientOf(await createKey(stack, scopes, { expiresAt }));
      const { body } = await share({ hours: 24 }, http);
      expect(body.expiresAt === expiresAt.toISOString()).toBe(isEarlier);
      expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(expiresAt.getTime());
      const opened = await open(tokenOf(body));
      expect(opened.body.expiresAt).toBe(body.expiresAt);
    }
  });

  it("is counted by address if it does not work, apart from failed keys, and hidden in logs and errors", async () => {
    const token = tokenOf((await share()).body);
    await using api = await startApi({
      databaseUrl: stack.databaseUrl,
      env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "3", RATE_LIMIT_KEY_PER_MINUTE: "5" },
    });
    const http = createHttpClient(api.baseUrl, { key: stack.apiKey });
    const status = async (given: string) =>
      (await http.post("/api/shared-journey-run", { token: given }, { key: null })).status;
    const opened: number[] = [];
    for (let times = 0; times < 6; times++) opened.push(await status(token));
    expect(opened).toEqual([200, 200, 200, 200, 200, 429]);
    const unknown: number[] = [];
    for (let times = 0; times < 4; times++) unknown.push(await status(UNKNOWN));
    expect(unknown).toEqual([404, 404, 404, 429]);
    expect((await http.get("/api/session", { key: "wmk_no" })).status).toBe(401);
    const inAddress = await http.get(`/api/${token}`, { key: null });
    expect(inAddress.text).not.toContain(token);
    expect(api.output()).not.toContain(token);
  });

  it("does not work while the organization shares no runs", async () => {
    const token = tokenOf((await share()).body);
    const set = (isOn: boolean) => query(stack, "UPDATE organizations SET shares_journey_runs = $1", [isOn]);
    await set(false);
    expect(await refusal(token)).toBe(await refusal(UNKNOWN));
    expect(errorOf(await share())).toMatchObject({ status: 409, code: "sharing_disabled" });
    await set(true);
    expect((await open(token)).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ["more than 30 days", { hours: 721 }, "hours"],
    ["no time", { hours: 0 }, "hours"],
    ["a note with a key", { note: `wmk_${"a".repeat(12)}_${"b".repeat(39)}` }, "note"],
    ["a long note", { note: "n".repeat(201) }, "note"],
    ["anything else", { includes: "everything" }, "includes"],
    ["an unknown field", { runId: "x" }, ""],
  ])("is refused for %s", async (_, body, path) => {
    const refused = await share(body);
    expect([refused.status, errorOf(refused).details?.[0]?.path]).toEqual([400, path]);
  });

  it("says that its run is no longer kept, and does not show a later run with the same id", async () => {
    const token = tokenOf((await share()).body);
    await query(stack, "ALTER TABLE journey_runs DISABLE TRIGGER ALL");
    const rename = (from: string, to: string) =>
      query(stack, "UPDATE journey_runs SET id = $2 WHERE id = $1", [from, to]);
    const elsewhere = randomUUID();
    await rename(runId, elsewhere);
    const gone = await open(token);
    expect(gone.body).toEqual({
      includes: "verdicts",
      expiresAt: expect.any(String),
      run: null,
      steps: [],
    });
    await rename(elsewhere, runId);
    await query(stack, "UPDATE journey_runs SET created_at = now() + interval '1 minute' WHERE id = $1", [
      runId,
    ]);
    expect((await open(token)).body.run).toBeNull();
    await query(stack, "UPDATE journey_runs SET created_at = now() - interval '1 hour' WHERE id = $1", [
      runId,
    ]);
    await query(stack, "ALTER TABLE journey_runs ENABLE TRIGGER ALL");
    expect((await open(token)).body.run).not.toBeNull();
  });
});
