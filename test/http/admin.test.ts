import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { descriptionOf, scanned } from "@waymark/test-support/descriptions.ts";
import { storeKey } from "@waymark/test-support/api-key-ids.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const ANY_ID = "11111111-1111-1111-1111-111111111111";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const admin = (...args: string[]) =>
  runNode(["services/api/src/admin.ts", ...args], { DATABASE_URL: stack.databaseUrl });
const adminJson = async <T>(...args: string[]) => JSON.parse(await admin(...args, "--json")) as T;
const statusOf = async (key: string) => (await stack.http.get("/api/services", { key })).status;

interface NewKey {
  organizationId: string;
  id: string;
  prefix: string;
  apiKey: string;
}
const createKey = (...args: string[]) =>
  adminJson<NewKey>("create-key", "--organization", stack.organizationId, "--name", "ops", ...args);

/** Creates a key without the command, which takes a third of a second. */
async function storedKey(): Promise<NewKey> {
  const { id, rawKey: apiKey } = await storeKey(stack, stack, ["services:read"]);
  return { organizationId: stack.organizationId, id, prefix: apiKey.slice(0, 16), apiKey };
}

describe("npm run admin", () => {
  it("set-descriptions refuses the descriptions of an organization, and stores them again", async () => {
    const run = await scanned(stack, { serviceName: "described", endpoints: 1 });
    const put = async (body: unknown = descriptionOf(run.endpoints)) => {
      const response = await stack.http.request("PUT", run.path, { body });
      return response.status < 300 ? response.status : errorOf(response).code;
    };
    const set = (value: string) => admin("set-descriptions", value, "--organization", stack.organizationId);
    await expect(set("no")).rejects.toThrow(/on or off/);
    await expect(admin("set-descriptions", "off", "--organization", ANY_ID)).rejects.toThrow(
      /no organization/,
    );
    expect(await set("off")).toContain("Descriptions are refused.");
    expect(await put()).toBe("descriptions_disabled");
    expect(await put({ nonsense: true })).toBe("descriptions_disabled");
    await set("on");
    expect(await put()).toBe(201);
    await set("off");
    expect((await stack.http.get(run.path)).status).toBe(200);
    await set("on");
    const [event] = (
      await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?action=organization.updated")
    ).body.auditEvents;
    expect(event).toMatchObject({ actorKeyId: null, details: { by: "operator", storesDescriptions: true } });
  });

  it("set-run-links turns links to runs off and on", async () => {
    const set = (value: string, id = stack.organizationId) =>
      admin("set-run-links", value, "--organization", id);
    await expect(set("no")).rejects.toThrow(/on or off/);
    await expect(set("off", ANY_ID)).rejects.toThrow(/no organization/);
    expect(await set("off")).toContain("No link works");
    expect(await set("on")).toContain("can be shared");
  });

  it("set-decision-days sets for how many days decisions about findings hold at most", async () => {
    const set = (value: string, id = stack.organizationId) =>
      admin("set-decision-days", value, "--organization", id);
    for (const wrong of ["0", "1.5", "3651", "many"])
      await expect(set(wrong)).rejects.toThrow(/from 1 to 3650/);
    await expect(set("7", ANY_ID)).rejects.toThrow(/no organization/);
    expect(await set("7")).toContain("at most 7 days");
    const decision = { kind: "wont_fix", code: "any", reason: "r" };
    const { body } = await stack.http.post<{ until: string }>("/api/finding-decisions", decision);
    expect(body.until).toBe(new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10));
    await set("365");
  });

  it("create-organization prints the organization and a key that may do everything in it", async () => {
    const created = await adminJson<{ organizationId: string; apiKey: string }>(
      "create-organization",
      "Umbrella",
    );
    expect(Object.keys(created)).toEqual(["organizationId", "apiKey"]);
    const self = await stack.http.get("/api/api-keys/self", { key: created.apiKey });
    expect(self.body).toMatchObject({
      organizationId: created.organizationId,
      scopes: [{ permission: "*" }],
      name: "First key",
      createdBy: null,
    });

    const text = await admin("create-organization", "Umbrella", "Two");
    expect(text).toMatch(/^Organization: [0-9a-f-]{36}\nAPI key: {6}wmk_\w{52}\nSave the key now/);
  });

  it("create-key makes a key with permissions and bound scopes, and records that the operator did", async () => {
    const bound = { permission: "scans:create", resourceConstraints: { serviceNames: ["payments-*"] } };
    const key = await createKey(
      "--scope",
      "services:read",
      "--scope",
      JSON.stringify(bound),
      "--expires-at",
      "2999-01-01T00:00:00Z",
      "--owner-type",
      "user",
      "--owner-id",
      ANY_ID,
    );
    expect(key).toEqual({
      organizationId: stack.organizationId,
      id: expect.any(String),
      prefix: key.apiKey.slice(0, 16),
      apiKey: expect.any(String),
    });
    expect((await stack.http.get("/api/api-keys/self", { key: key.apiKey })).body).toMatchObject({
      id: key.id,
      name: "ops",
      scopes: [{ permission: "services:read" }, bound],
      expiresAt: "2999-01-01T00:00:00.000Z",
      ownerPrincipalType: "user",
      ownerPrincipalId: ANY_ID,
      createdBy: null,
    });
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
      `/api/audit-events?apiKeyId=${key.id}`,
    );
    expect(body.auditEvents).toMatchObject([{ action: "api_key.created", actorKeyId: null, address: null }]);
  });

  it("list-keys lists every key of the organization and no secret", async () => {
    const key = await createKey("--scope", "services:read");
    const { apiKeys } = await adminJson<{ apiKeys: { id: string }[] }>(
      "list-keys",
      "--organization",
      stack.organizationId,
    );
    expect(apiKeys[0]).toMatchObject({ id: key.id, prefix: key.prefix, status: "active" });
    const text = await admin("list-keys", "--organization", stack.organizationId);
    expect(text.split("\n")[0]).toMatch(
      new RegExp(`^${key.id} +${key.prefix} +active +no expiry +ops +services:read$`),
    );
    expect(text).not.toContain(key.apiKey.slice(17));
  });

  it("list-keys and revoke-key escape control characters of names, which older keys may have", async () => {
    const hostile = "\u001b[2J\u001b]0;t\u0007\r\n::error::forged ##[error]x \u009b31m\u202e\u2028\u007f";
    const key = await storedKey();
    await query(stack, "UPDATE api_keys SET name = $1 WHERE id = $2", [hostile, key.id]);
    const lists = ["list-keys", "--organization", stack.organizationId];
    const text = await admin(...lists);
    const json = await admin(...lists, "--json");
    const revoked = await admin("revoke-key", key.id);
    for (const output of [text, json, revoked]) {
      expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]|##\[|\n::/);
    }
    expect(text).toContain(String.raw`\u{1b}[2J\u{1b}]0;t\u{7}\r\n::error::forged`);
    const { apiKeys }: { apiKeys: { id: string; name: string }[] } = JSON.parse(json);
    // Its id is random: it need not be the first.
    expect(apiKeys.find(({ id }) => id === key.id)?.name).toBe(hostile);
  });

  it.each([
    ["its id", (key: NewKey) => key.id],
    ["its id in capitals", (key: NewKey) => key.id.toUpperCase()],
    ["its prefix", (key: NewKey) => key.prefix],
    ["the whole key, as it was found", (key: NewKey) => key.apiKey],
  ])("revoke-key ends a key by %s", async (_name, by) => {
    const key = await storedKey();
    expect(await statusOf(key.apiKey)).toBe(200);
    const text = await admin("revoke-key", by(key));
    expect(text).toContain(`Revoked: ${key.id}`);
    expect(text).not.toContain(key.apiKey.slice(17));
    expect(await statusOf(key.apiKey)).toBe(401);
  });

  it("rotate-keys needs the key ring, and says which of its keys are needed", async () => {
    await expect(admin("rotate-keys")).rejects.toThrow(/ended with 1:[^]*must set JOURNEY_KEYS/);
    const [k1, k2] = ["k1", "k2"].map((id) => `${id}:${randomBytes(32).toString("base64")}`);
    const rotate = (...keys: (string | undefined)[]) =>
      runNode(["services/api/src/admin.ts", "rotate-keys"], {
        DATABASE_URL: stack.databaseUrl,
        JOURNEY_KEYS: keys.join(),
      });
    await query(
      stack,
      `INSERT INTO data_keys (organization_id, id, wrapped_key, nonce, kek_id)
       VALUES ($1, gen_random_uuid(), decode(repeat('ab', 48), 'hex'), decode(repeat('ab', 12), 'hex'), 'k0')`,
      [stack.organizationId],
    );
    await expect(rotate(k2, k1)).rejects.toThrow(/ended with 1:[^]*need the key "k0"/);
    await query(stack, "DELETE FROM data_keys");
    expect(await rotate(k2, k1)).toBe(
      "Data keys encrypted with k2: 0 changed.\nJOURNEY_KEYS no longer needs: k1\n",
    );
  });

  it.each<[string, string[], RegExp]>([
    ["nothing", [], /ended with 2:[^]*a command is required[^]*npm run admin/],
    ["another command", ["drop-database"], /ended with 2:[^]*unknown command/],
    ["an unknown option", ["list-keys", "--all"], /ended with 2:[^]*--all/],
    ["no name", ["create-organization"], /ended with 2:[^]*NAME is required/],
    ["no organization", ["list-keys"], /ended with 2:[^]*--organization is required/],
    [
      "no scope",
      ["create-key", "--organization", ANY_ID, "--name", "x"],
      /ended with 2:[^]*--scope is required/,
    ],
    [
      "an organization that is none",
      ["list-keys", "--organization", ANY_ID],
      /ended with 1:[^]*there is no organization/,
    ],
    ["a key that is none", ["revoke-key", ANY_ID], /ended with 1:[^]*there is no API key/],
  ])("says what is wrong with %s", async (_name, args, message) => {
    await expect(admin(...args)).rejects.toThrow(message);
  });

  it.each<[string, string[], RegExp]>([
    ["a permission of one word", ["--scope", "everything"], /scopes\[0\]/],
    ["a scope that is no JSON", ["--scope", "{permission"], /must be a JSON object/],
    [
      "an expiry in the past",
      ["--scope", "a:b", "--expires-at", "2020-01-01T00:00:00Z"],
      /expiresAt: must be in the future/,
    ],
    ["an owner of another type", ["--scope", "a:b", "--owner-type", "robot"], /ownerPrincipalType/],
  ])("create-key refuses %s, and says so", async (_name, args, message) => {
    await expect(createKey(...args)).rejects.toThrow(message);
  });
});
