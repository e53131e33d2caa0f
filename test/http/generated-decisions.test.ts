import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { decidedRequests } from "@waymark/test-support/decisions/requests.ts";
import type { DecidedRequest } from "@waymark/test-support/decisions/requests-of-services.ts";
import { type Reader, readersOf } from "@waymark/test-support/decisions/readers.ts";
import type { PlainScope } from "@waymark/test-support/decisions/rule.ts";
import {
  createDecisionOrganization,
  type DecisionOrganization,
  LETTERS,
} from "@waymark/test-support/decisions/organization.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey, createKeys } from "@waymark/test-support/keys.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const KEYS = scaled({ short: 40, long: 500 });
const REQUESTS_OF_KEY = scaled({ short: 20, long: 40 });
const CONCURRENT = 12;

let stack: Stack;
let world: DecisionOrganization;
let requests: DecidedRequest[];
beforeAll(async () => {
  announceSeed();
  stack = await startStack({ apiEnv: { RATE_LIMIT_KEY_PER_MINUTE: "off" } });
  world = await createDecisionOrganization(stack);
  requests = decidedRequests(world, stack.organizationId);
});
afterAll(() => stack[Symbol.asyncDispose]());

const random = createRandom("decisions");
const pick = <T>(items: readonly [T, ...T[]]): T => random.pick(items);
const chance = (one: number) => random.integer(1, one) === 1;

/** A scope with any permission and any constraints, often such that something meets them. */
function someScope(): PlainScope {
  const of = world.things[pick(LETTERS)];
  const other = world.things[pick(LETTERS)];
  const permission = chance(6) ? "*" : chance(15) ? "services:*" : pick(PERMISSIONS);
  const resources: [[string, string], ...[string, string][]] = [
    ["service", of.serviceId],
    ["environment", of.environmentId],
    ["workflow", of.journeyId],
    ["workflow", of.descriptionId],
    ["api_key", of.apiKeyId],
  ];
  const [resourceType, resourceId] = pick(resources);
  const names = pick([["svcalder"], ["svc*"], ["svcb*", "svcalder"], ["*"], ["*birch"], [], "svcalder"]);
  const limits: PlainScope = { permission };
  const [kind] = permission.split(":");
  const usual = { environments: "environment", secrets: "environment", "api-keys": "key", audit: "key" }[
    kind ?? ""
  ];
  const about = chance(3)
    ? pick(["service", "environment", "workflow", "both", "resource", "names", "mixed"])
    : (usual ??
      (kind?.startsWith("journey") === true
        ? pick(["workflow", "environment", "both"])
        : pick(["service", "names"])));
  if (chance(4)) return limits;
  if (about === "service" || about === "mixed") limits.serviceId = of.serviceId;
  if (about === "environment" || about === "both") limits.environmentId = of.environmentId;
  if (about === "workflow" || about === "both")
    limits.workflowId = pick([of.journeyId, of.descriptionId, other.journeyId]);
  if (about === "both") limits.environmentId = other.environmentId;
  if (about === "key") Object.assign(limits, { resourceType: "api_key", resourceId: of.apiKeyId });
  if (about === "names")
    limits.resourceConstraints = { serviceNames: names, ...(chance(10) ? { region: "eu" } : {}) };
  if (about === "resource" || about === "mixed") {
    if (!chance(4)) limits.resourceType = resourceType;
    if (!chance(4)) limits.resourceId = chance(5) ? resourceId.toUpperCase() : resourceId;
  }
  return limits;
}

describe("keys with random lists of scopes", () => {
  it("the requests cover every route that takes a key", async () => {
    const { body } = await stack.http.get<{
      paths: Record<string, Record<string, { operationId?: string; security?: unknown[] }>>;
    }>("/openapi.json", { key: null });
    const authenticated = Object.values(body.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ operationId, security }) =>
        operationId === undefined || security?.length === 0 ? [] : [operationId],
      );
    const tried = new Set(requests.map(({ operationId }) => operationId));
    // These show or end the calling key and its session, whatever its scopes are.
    const ofItself = ["getOwnApiKey", "revokeOwnApiKey", "getSession"];
    expect(authenticated.filter((id) => !tried.has(id) && !ofItself.includes(id))).toEqual([]);
  });

  it("are refused or served as each permission on its own resource says, and learn nothing else", async () => {
    const known = readersOf(world);
    const wrong: string[] = [];
    const decisions = { allowed: 0, denied: 0 };
    const decide = async (key: string, scopes: readonly PlainScope[], request: DecidedRequest) => {
      const isAllowed = request.isAllowed(scopes);
      if (isAllowed && request.isDestructive === true) return;
      const { method, path, body, headers } = request;
      const answer = await stack.http.request<{ error?: { code: string } }>(method, path, {
        key,
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers }),
      });
      decisions[isAllowed ? "allowed" : "denied"]++;
      const code = answer.body?.error?.code;
      const fault =
        answer.status >= 500
          ? `status ${answer.status}`
          : (code === "permission_denied") === isAllowed
            ? `must be ${isAllowed ? "allowed" : "denied"}, is ${answer.status} ${code}`
            : learned(answer.text, request, { scopes, known });
      if (fault !== undefined)
        wrong.push(`${method} ${path}: ${fault}\n${JSON.stringify(scopes)}\n${answer.text.slice(0, 600)}`);
    };
    const keys = Array.from({ length: KEYS }, () =>
      Array.from({ length: random.integer(1, 6) }, () => someScope()),
    );
    const raw = await createKeys(
      stack,
      keys.map((scopes) => ({ scopes: scopes.map((scope) => ({ ...scope })) })),
    );
    const tasks = keys.flatMap((scopes, n) =>
      Array.from({ length: REQUESTS_OF_KEY }, () => {
        const request = requests[random.integer(0, requests.length - 1)];
        return async () => (request === undefined ? undefined : decide(raw[n] ?? "", scopes, request));
      }),
    );
    await Promise.all(
      Array.from({ length: CONCURRENT }, async () => {
        for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) await task();
      }),
    );
    process.stdout.write(`decisions: ${decisions.allowed} allowed, ${decisions.denied} denied\n`);
    expect(wrong.slice(0, 12).join("\n\n"), `${wrong.length} wrong decisions`).toBe("");
    expect(Math.min(decisions.allowed, decisions.denied)).toBeGreaterThan(KEYS);
  }, 900_000);
});

describe("a key that may use a journey and not read it", () => {
  const ask = async (permission: string, method: string, path: string, body?: unknown) => {
    const key = await createKey(stack, [permission]);
    return stack.http.request<Record<string, unknown>>(method, path, {
      key,
      ...(body === undefined ? {} : { body }),
    });
  };

  it("learns no names of documents from what has changed since a release", async () => {
    const { journeyId, environmentId } = world.things.alder;
    const settings = { journeyId, environmentId, name: "new", cron: "0 4 1 1 *" };
    const refused = [
      await ask("journeys:run", "POST", "/api/journey-runs", { journeyId, environmentId }),
      await ask("journeys:schedule", "POST", "/api/journey-schedules", settings),
    ];
    for (const answer of refused) {
      expect(errorOf(answer)).toMatchObject({ status: 403, code: "environment_protected" });
      expect(answer.text).toContain("has changed since its release. Release it again.");
    }
    const read = await ask("environments:read", "GET", `/api/environments/${environmentId}`);
    expect(read.text).toContain('"changedSince":["something that the journey is built from"]');
    const { text } = await stack.http.get(`/api/environments/${environmentId}`);
    expect(text).toContain('"changedSince":["dscalder.openapi.yaml","dscbirch.openapi.yaml"]');
  });

  it("learns no problems of documents from a refused run", async () => {
    const { id: environmentId } = (
      await stack.http.post<{ id: string }>("/api/environments", { name: "open" })
    ).body;
    const { id: journeyId } = await storeDocument(stack, {
      path: "broken.journey.yaml",
      text: "arazzo: 1.1.0\n",
    });
    const request = { journeyId, environmentId };
    const hidden = await ask("journeys:run", "POST", "/api/journey-runs", request);
    expect(errorOf(hidden)).toMatchObject({ status: 422, code: "journey_invalid" });
    expect(hidden.text).not.toContain("broken.journey.yaml");
    const shown = await stack.http.post("/api/journey-runs", request);
    expect(shown.text).toContain("broken.journey.yaml");
  });

  it("learns no runs from the document that it changes", async () => {
    const at = `/api/journeys/${world.things.alder.journeyId}`;
    const restored = await ask("journeys:write", "POST", `${at}/restore`, { version: 1, baseVersion: 1 });
    expect(restored.body).toMatchObject({ lastRun: null, lastRuns: [], recentStatuses: [] });
    expect((await stack.http.get(at)).body).not.toMatchObject({ lastRun: null });
  });
});

/** The first text in a response that the key may not learn, and did not send. */
function learned(
  text: string,
  { path, body }: DecidedRequest,
  { scopes, known }: { scopes: readonly PlainScope[]; known: readonly Reader[] },
): string | undefined {
  // The audit record is about everything.
  if (path.startsWith("/api/audit-events")) return undefined;
  const sent = path + JSON.stringify(body ?? "");
  // Scopes of other keys have ids, and names of services.
  const isOfKeys = path.startsWith("/api/api-keys");
  const leak = known.find(
    (each) =>
      text.includes(each.text) &&
      !sent.toLowerCase().includes(each.text) &&
      !(isOfKeys && !each.text.startsWith("key")) &&
      !each.isReadable(scopes),
  );
  return leak === undefined ? undefined : `shows ${leak.text}`;
}
