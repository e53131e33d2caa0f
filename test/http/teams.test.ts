import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { Invitation } from "@waymark/shared/principals/invitations/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import type { Team, TeamMember } from "@waymark/shared/principals/teams/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeRoleGrant, storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

const send = (method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}) =>
  stack.http.request(method, path, {
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body }),
  });
const create = (body: object, key?: string) =>
  stack.http.post<Team>("/api/teams", body, key === undefined ? {} : { key });
const newTeam = async (fields: object = {}) =>
  (await create({ slug: `t-${randomUUID()}`, displayName: "Team", ...fields })).body;
const add = (teamId: string, userId: string, key?: string) =>
  send("PUT", `/api/teams/${teamId}/members/${userId}`, key === undefined ? {} : { key });
const remove = (teamId: string, userId: string, key?: string) =>
  send("DELETE", `/api/teams/${teamId}/members/${userId}`, key === undefined ? {} : { key });
const teamsOf = async (key: string) =>
  (await stack.http.get<{ teams: Team[] }>("/api/teams", { key })).body.teams;
const lists = async (key: string) => (await stack.http.get("/api/services", { key })).status;
const DENIED = { status: 403, code: "permission_denied" };

describe("a team", () => {
  it("gives its roles to every member from the next request on, in every process, and takes them", async () => {
    const user = await storeUser(stack, { roles: [] });
    const team = await newTeam();
    const granted = await stack.http.post<{ id: string }>(`/api/teams/${team.id}/role-grants`, {
      role: "viewer",
    });
    expect(granted.status).toBe(201);
    expect(await lists(user.rawKey)).toBe(403);
    expect((await add(team.id, user.id)).status).toBe(200);
    expect((await stack.other.get("/api/services", { key: user.rawKey })).status).toBe(200);
    const { body } = await stack.http.get<Principal>(`/api/principals/${user.id}`);
    expect(body.teams).toEqual([{ id: team.id, slug: team.slug, displayName: "Team" }]);
    expect((await remove(team.id, user.id)).status).toBe(204);
    expect(await lists(user.rawKey)).toBe(403);
    await add(team.id, user.id);
    const grant = `/api/teams/${team.id}/role-grants/${granted.body.id}`;
    expect((await send("DELETE", grant)).status).toBe(204);
    expect((await send("DELETE", grant)).status).toBe(404);
    expect(await lists(user.rawKey)).toBe(403);
  });

  it("has a slug and handles that no other team has, in any case of a handle", async () => {
    const slug = `t-${randomUUID()}`;
    const handle = `@acme/${slug}`;
    const team = (await create({ slug, displayName: "Payments", handles: [handle.toUpperCase()] })).body;
    expect(team).toMatchObject({ slug, displayName: "Payments", handles: [handle], memberCount: 0 });
    const taken = { status: 409, code: "team_name_taken" };
    expect(errorOf(await create({ slug, displayName: "x" }))).toMatchObject(taken);
    const other = await newTeam();
    const renamed = await send("PATCH", `/api/teams/${other.id}`, { body: { handles: [handle] } });
    expect(errorOf(renamed)).toMatchObject(taken);
    for (const wrong of ["me", "none", "all", "Payments", "a b", "", "1st", "a".repeat(64)])
      expect((await create({ slug: wrong, displayName: "x" })).status).toBe(400);
    for (const wrong of ["payments", "@", "@a//b", "@a/", "@a b"])
      expect((await create({ slug: `t-${randomUUID()}`, displayName: "x", handles: [wrong] })).status).toBe(
        400,
      );
  });

  it("has users only, and a member by the identity provider stays if somebody adds the user by hand", async () => {
    const team = await newTeam();
    const account = await stack.http.post<{ id: string }>("/api/principals", {
      type: "service_account",
      displayName: "CI",
    });
    expect((await add(team.id, account.body.id)).status).toBe(400);
    const { id: principalId } = await storeUser(stack, { roles: [] });
    await storeTeamMember(stack, { teamId: team.id, principalId, identityProviderId: randomUUID() });
    const members = async () =>
      (await stack.http.get<{ members: TeamMember[] }>(`/api/teams/${team.id}/members`)).body.members;
    expect(await members()).toMatchObject([{ principalId, source: "provider" }]);
    await add(team.id, principalId);
    expect(await members()).toMatchObject([{ principalId, source: "manual" }]);
  });

  it("is changed, and its members, only with every permission of its roles", async () => {
    const manager = await storeUser(stack, { roles: [] });
    await query(
      stack,
      "INSERT INTO roles (organization_id, name, permissions) VALUES ($1, 'team-manager', '{teams:manage,principals:manage,services:read}')",
      [stack.organizationId],
    );
    await storeRoleGrant(stack, { principalId: manager.id, role: "team-manager" });
    const { rawKey } = manager;
    const own = (await create({ slug: `t-${randomUUID()}`, displayName: "Own" }, rawKey)).body;
    expect((await add(own.id, manager.id, rawKey)).status).toBe(200);
    for (const body of [
      { role: "developer" },
      { role: "developer", ownedBy: own.slug },
      { role: "viewer", serviceNames: ["payments"] },
    ])
      expect(
        errorOf(await send("POST", `/api/teams/${own.id}/role-grants`, { key: rawKey, body })),
      ).toMatchObject(DENIED);
    const administrators = await newTeam();
    await storeRoleGrant(stack, { teamId: administrators.id, role: "administrator" });
    await add(administrators.id, (await storeUser(stack)).id);
    for (const refused of [
      await add(administrators.id, manager.id, rawKey),
      await remove(administrators.id, (await storeUser(stack)).id, rawKey),
      await send("DELETE", `/api/teams/${administrators.id}`, { key: rawKey }),
    ])
      expect([403, 404]).toContain(refused.status);
    // The groups of an identity provider name teams by slug: with the slug of another team, it would get that one's members.
    const rename = (body: object) => send("PATCH", `/api/teams/${administrators.id}`, { key: rawKey, body });
    expect(errorOf(await rename({ slug: `t-${randomUUID()}` }))).toMatchObject(DENIED);
    expect((await rename({ slug: administrators.slug, displayName: "Renamed" })).status).toBe(200);
    const renamed = { slug: `t-${randomUUID()}` };
    expect((await send("PATCH", `/api/teams/${own.id}`, { key: rawKey, body: renamed })).status).toBe(200);
    expect((await send("DELETE", `/api/teams/${own.id}`, { key: rawKey })).status).toBe(204);
  });

  it("is named by an invitation's role for what it owns, which can't be accepted once the team is gone", async () => {
    const team = await newTeam();
    const invite = async () => {
      const email = `${randomUUID()}@example.com`;
      const roles = [{ role: "developer", ownedBy: team.slug }];
      const { body } = await stack.http.post<{ url: string }>("/api/invitations", { email, roles });
      return { token: body.url.split("#invitation=")[1], displayName: "Ada" };
    };
    const [first, second] = [await invite(), await invite()];
    const accept = (body: object) =>
      stack.http.post<{ userId: string }>("/api/invitation-acceptances", body, { key: null });
    const { userId } = (await accept(first)).body;
    const user = (await stack.http.get<Principal>(`/api/principals/${userId}`)).body;
    expect(user.roleGrants).toMatchObject([{ role: "developer", serviceNames: null, ownedBy: team.slug }]);
    // The invitation is for this team, whatever its slug is, and whichever team has its former slug.
    const third = await invite();
    const slug = `t-${randomUUID()}`;
    await send("PATCH", `/api/teams/${team.id}`, { body: { slug } });
    await create({ slug: team.slug, displayName: "Other" });
    const { body: listed } = await stack.http.get<{ invitations: Invitation[] }>("/api/invitations");
    expect(listed.invitations[0]?.roles).toEqual([{ role: "developer", serviceNames: null, ownedBy: slug }]);
    const renamed = (await accept(third)).body.userId;
    expect((await stack.http.get<Principal>(`/api/principals/${renamed}`)).body.roleGrants).toMatchObject([
      { ownedBy: slug },
    ]);
    await send("DELETE", `/api/teams/${team.id}`);
    expect(errorOf(await accept(second))).toMatchObject({ status: 404, code: "invitation_invalid" });
    const body = { email: `${randomUUID()}@example.com`, roles: [{ role: "viewer", ownedBy: slug }] };
    expect((await stack.http.post("/api/invitations", body)).status).toBe(404);
  });

  it("keeps the last administrator, who is one by a team", async () => {
    await using alone = await startTwoApis();
    const user = await storeUser(alone, { roles: [] });
    const teamId = await storeTeam(alone);
    const grantId = await storeRoleGrant(alone, { teamId, role: "administrator" });
    await storeTeamMember(alone, { teamId, principalId: user.id });
    const last = { status: 409, code: "last_administrator" };
    for (const [method, path] of [
      ["DELETE", `/api/teams/${teamId}/members/${user.id}`],
      ["DELETE", `/api/teams/${teamId}/role-grants/${grantId}`],
      ["DELETE", `/api/teams/${teamId}`],
      ["POST", `/api/principals/${user.id}/disable`],
    ] as const)
      expect(errorOf(await alone.http.request(method, path))).toMatchObject(last);
    await storeUser(alone);
    expect((await alone.http.request("DELETE", `/api/teams/${teamId}`)).status).toBe(204);
  });
});

describe("who may see a team", () => {
  it("is who may read what it owns, and its members; e-mail addresses need principals:read", async () => {
    const [mine, theirs] = [await newTeam(), await newTeam()];
    const name = `svc-${randomUUID()}`;
    await query(
      stack,
      "INSERT INTO services (organization_id, id, name, owner_team_id) VALUES ($1, $2, $3, $4)",
      [stack.organizationId, randomUUID(), name, mine.id],
    );
    const user = await storeUser(stack, { roles: [] });
    await add(mine.id, user.id);
    const limited = await createKey(stack, [
      { permission: "services:read", resourceConstraints: { serviceNames: [name] } },
    ]);
    expect((await teamsOf(limited)).map(({ id }) => id)).toEqual([mine.id]);
    expect((await teamsOf(limited))[0]).toMatchObject({ serviceCount: 1, isMember: false });
    const unseen = async (id: string) =>
      errorOf(await stack.http.get(`/api/teams/${id}`, { key: limited })).message;
    expect(await unseen(theirs.id)).toMatch("services:read");
    expect(await unseen(theirs.id)).toBe(await unseen(randomUUID()));
    expect((await stack.http.get(`/api/teams/${theirs.id}/members`, { key: limited })).status).toBe(403);
    const path = `/api/teams/${mine.id}/members`;
    const seen = await stack.http.get<{ members: TeamMember[] }>(path, { key: limited });
    expect(seen.body.members).toMatchObject([{ principalId: user.id, displayName: "Ada", email: null }]);
    const all = await stack.http.get<{ members: TeamMember[] }>(path);
    expect(all.body.members[0]?.email).toBe(`${user.id}@example.com`);
    const other = await storeUser(stack, { roles: [{ role: "viewer", serviceNames: ["nothing"] }] });
    await add(theirs.id, other.id);
    expect(await teamsOf(other.rawKey)).toMatchObject([{ id: theirs.id, isMember: true, serviceCount: 0 }]);
  });
});

it("every change of a team is in the audit record", async () => {
  const team = await newTeam();
  const user = await storeUser(stack, { roles: [] });
  await add(team.id, user.id);
  await send("POST", `/api/teams/${team.id}/role-grants`, { body: { role: "viewer", ownedBy: team.slug } });
  await send("PATCH", `/api/teams/${team.id}`, { body: { displayName: "Other" } });
  await remove(team.id, user.id);
  await send("DELETE", `/api/teams/${team.id}`);
  const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=6");
  const actions = body.auditEvents.map(({ action }) => action);
  expect(actions.toReversed()).toEqual([
    "team.created",
    "team.member_added",
    "role.granted",
    "team.updated",
    "team.member_removed",
    "team.deleted",
  ]);
  for (const { details } of body.auditEvents)
    expect(details).toMatchObject({ teamId: team.id, slug: team.slug });
  expect(body.auditEvents[3]?.details).toMatchObject({ role: "viewer", ownedBy: team.slug });
});
