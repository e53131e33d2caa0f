import { randomUUID } from "node:crypto";
import type { Service } from "@waymark/shared/services/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeRoleGrant, storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

const DENIED = { status: 403, code: "permission_denied" };
const scan = (serviceName: string, key?: string) =>
  stack.http.post<{ serviceId: string }>(
    "/api/scans/ingest",
    scanPayload({ serviceName }),
    key === undefined ? {} : { key },
  );
const newService = async (name = `svc-${randomUUID()}`) => ({
  id: (await scan(name)).body.serviceId,
  name,
});
const own = (serviceId: string, ownerTeam: string | null, key?: string) =>
  stack.http.request<Service>("PATCH", `/api/services/${serviceId}`, {
    body: { ownerTeam },
    ...(key === undefined ? {} : { key }),
  });
const read = (serviceId: string, key: string) =>
  stack.http.get<Service>(`/api/services/${serviceId}`, { key });

/** A team with a member who is a developer of what the team owns. */
async function teamOfDevelopers() {
  const slug = `t-${randomUUID()}`;
  const teamId = await storeTeam(stack, slug);
  const user = await storeUser(stack, { roles: [] });
  await storeTeamMember(stack, { teamId, principalId: user.id });
  await storeRoleGrant(stack, { teamId, role: "developer", ownedBy: teamId });
  return { teamId, slug, ...user };
}

describe("a role for what a team owns", () => {
  it("follows the owner from the next request on", async () => {
    const { slug, teamId, rawKey } = await teamOfDevelopers();
    const service = await newService();
    expect((await read(service.id, rawKey)).status).toBe(403);
    expect((await stack.http.get("/api/services", { key: rawKey })).body).toMatchObject({ services: [] });
    const owned = await own(service.id, slug);
    expect(owned.body.ownerTeam).toEqual({ id: teamId, slug, displayName: slug });
    expect((await stack.other.get(`/api/services/${service.id}`, { key: rawKey })).status).toBe(200);
    expect((await scan(service.name, rawKey)).status).toBe(201);
    expect((await scan((await newService()).name, rawKey)).status).toBe(403);
    expect((await scan(`svc-${randomUUID()}`, rawKey)).status).toBe(403);
    const { body } = await stack.http.get<{ services: Service[] }>("/api/services", { key: rawKey });
    expect(body.services.map(({ id }) => id)).toEqual([service.id]);
    expect((await own(service.id, null)).body.ownerTeam).toBeNull();
    expect((await read(service.id, rawKey)).status).toBe(403);
    expect((await scan(service.name, rawKey)).status).toBe(403);
  });

  it("is for the service and not for others with a name that its name matches", async () => {
    const { slug, rawKey } = await teamOfDevelopers();
    const start = `svc-${randomUUID()}`;
    const service = await newService(`${start}*`);
    const other = await newService(`${start}-other`);
    await own(service.id, slug);
    expect((await read(service.id, rawKey)).status).toBe(200);
    expect((await read(other.id, rawKey)).status).toBe(403);
    expect((await scan(other.name, rawKey)).status).toBe(403);
  });

  it("ends with the team, whose services then have no owner", async () => {
    const { slug, teamId, id } = await teamOfDevelopers();
    await storeRoleGrant(stack, { principalId: id, role: "viewer", ownedBy: teamId });
    const service = await newService();
    await own(service.id, slug);
    expect((await stack.http.request("DELETE", `/api/teams/${teamId}`)).status).toBe(204);
    expect((await stack.http.get<Service>(`/api/services/${service.id}`)).body.ownerTeam).toBeNull();
    const { body } = await stack.http.get<{ roleGrants: unknown[] }>(`/api/principals/${id}`);
    expect(body.roleGrants).toEqual([]);
  });
});

describe("the owner of a service", () => {
  it("is set only with every permission that this gives", async () => {
    const mine = await teamOfDevelopers();
    const service = await newService();
    // A developer of what her team owns can't take over a service that she may only read.
    await storeRoleGrant(stack, { principalId: mine.id, role: "viewer" });
    expect(errorOf(await own(service.id, mine.slug, mine.rawKey))).toMatchObject(DENIED);
    const mayUpdate = await createKey(stack, ["services:update", "services:read", "scans:create"]);
    expect(errorOf(await own(service.id, mine.slug, mayUpdate))).toMatchObject(DENIED);
    expect((await own(service.id, mine.slug)).status).toBe(200);
  });

  it("is changed only with every permission that this takes, and may be given away with these", async () => {
    const [mine, theirs] = [await teamOfDevelopers(), await teamOfDevelopers()];
    const service = await newService();
    await own(service.id, mine.slug);
    const mayUpdate = await createKey(stack, ["services:update"]);
    expect(errorOf(await own(service.id, null, mayUpdate))).toMatchObject(DENIED);
    expect((await own(service.id, theirs.slug, mine.rawKey)).status).toBe(200);
    expect(errorOf(await own(service.id, mine.slug, mine.rawKey))).toMatchObject(DENIED);
    await storeRoleGrant(stack, { teamId: mine.teamId, role: "administrator", ownedBy: mine.teamId });
    expect(errorOf(await own(service.id, mine.slug, theirs.rawKey))).toMatchObject(DENIED);
  });

  it("is set with a key that has an end or networks only where no role is for what the team owns", async () => {
    const { slug } = await teamOfDevelopers();
    const [service, plain] = [await newService(), `t-${randomUUID()}`];
    await storeTeam(stack, plain);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const ending = await stack.http.post<{ rawKey: string }>("/api/api-keys", {
      name: "ends",
      ownerPrincipalType: "service_account",
      scopes: ["*"],
      expiresAt,
    });
    const key = ending.body.rawKey;
    expect(errorOf(await own(service.id, slug, key))).toMatchObject(DENIED);
    expect((await own(service.id, plain, key)).status).toBe(200);
  });

  it("is named by a slug or a handle, and an unknown one changes nothing", async () => {
    const slug = `t-${randomUUID()}`;
    const handles = [`@acme/${slug}`];
    await stack.http.post("/api/teams", { slug, displayName: "Payments", handles });
    const service = await newService();
    const key = await createKey(stack, ["services:update", "services:read"]);
    expect((await own(service.id, `@ACME/${slug}`, key)).body.ownerTeam?.slug).toBe(slug);
    for (const unknown of ["nobody", "@acme/nobody", slug.toUpperCase(), "@"])
      expect(errorOf(await own(service.id, unknown, key))).toMatchObject({ status: 404, code: "not_found" });
    expect((await own(service.id, null, key)).body.ownerTeam).toBeNull();
  });
});
