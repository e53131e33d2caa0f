import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { query } from "@waymark/test-support/sql.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { ADA, as, ProviderSignIn, rolesOf } from "@waymark/test-support/provider-sign-in.ts";
import { announceSeed, createRandom } from "@waymark/test-support/scale.ts";

let world: ProviderSignIn;
beforeAll(async () => {
  world = await ProviderSignIn.start();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.idp.account = ADA;
});

/** Requests that need one permission each. */
const READS = [
  ["services:read", "/api/services"],
  ["journeys:read", "/api/journeys"],
  ["environments:read", "/api/environments"],
  ["principals:read", "/api/principals"],
] as const;
const decisions = { allowed: 0, refused: 0 };

describe("the groups of an identity provider", () => {
  it("make members of teams, and leave members by hand", async () => {
    for (const slug of ["payments", "search"])
      await world.http.post("/api/teams", { slug, displayName: slug });
    const teams = [
      { group: "pay", team: "payments" },
      { group: "find", team: "search" },
    ];
    const at = await world.addProvider({ clientId: "teams", teams });
    world.idp.account = { ...ADA, sub: "tim", email: "tim@example.com", groups: ["pay", "find"] };
    const membersOf = async (slug: string) => {
      const { body } = await world.http.get<{ teams: { id: string; slug: string }[] }>("/api/teams");
      const id = body.teams.find((team) => team.slug === slug)?.id ?? "";
      const members = await world.http.get<{ members: { source: string }[] }>(`/api/teams/${id}/members`);
      return { id, sources: members.body.members.map(({ source }) => source) };
    };
    await world.signIn({ at });
    const { id: search } = await membersOf("search");
    const { id: tim } = await world.userOf("tim@example.com");
    expect((await membersOf("payments")).sources).toEqual(["provider"]);
    await world.http.request("PUT", `/api/teams/${search}/members/${tim}`, {});
    world.idp.account = { ...world.idp.account, groups: [] };
    await world.signIn({ at });
    expect([(await membersOf("payments")).sources, (await membersOf("search")).sources]).toEqual([
      [],
      ["manual"],
    ]);
    world.idp.account = { ...world.idp.account, groups: ["pay"] };
    await world.signIn({ at });
    await world.http.request("DELETE", `/api/identity-providers/${at.id}`);
    expect([(await membersOf("payments")).sources, (await membersOf("search")).sources]).toEqual([
      [],
      ["manual"],
    ]);
  });

  it("take no role that leaves nobody who may do everything, and neither does the end of the provider", async () => {
    const roles = [{ group: "admins", role: "administrator" }];
    const at = await world.addProvider({ clientId: "admins", roles });
    world.idp.account = { ...ADA, sub: "only", email: "only@example.com", groups: ["admins"] };
    await world.signIn({ at });
    world.idp.account = { ...world.idp.account, groups: [] };
    expect((await world.signIn({ at })).status).toBe(204);
    expect(rolesOf(await world.userOf("only@example.com"))).toEqual(["administrator"]);
    const path = `/api/identity-providers/${at.id}`;
    expect(errorOf(await world.http.request("DELETE", path)).code).toBe("last_administrator");
    await storeUser(world.stack);
    await world.signIn({ at });
    expect(rolesOf(await world.userOf("only@example.com"))).toEqual([]);
    expect((await world.http.request("DELETE", path)).status).toBe(204);
  });

  it("leave roles that were granted by hand, also the same as one of a group", async () => {
    world.idp.account = { ...ADA, sub: "grace", email: "grace@example.com" };
    await world.signIn();
    const { id } = await world.userOf("grace@example.com");
    const grant = { role: "developer", serviceNames: ["shop-*"] };
    expect((await world.http.post(`/api/principals/${id}/role-grants`, grant)).status).toBe(201);
    world.idp.account = { ...world.idp.account, groups: [] };
    await world.signIn();
    expect((await world.userOf("grace@example.com")).roleGrants).toMatchObject([
      { role: "viewer", identityProviderId: world.provider.id },
      { ...grant, identityProviderId: null },
    ]);
  });

  it("give no role that was deleted since the provider was set up", async () => {
    await world.http.request("PUT", "/api/roles/former", { body: { permissions: ["scans:create"] } });
    const roles = [{ group: null, role: "former" }];
    const at = await world.addProvider({ clientId: "former", roles });
    expect((await world.http.request("DELETE", "/api/roles/former")).status).toBe(204);
    world.idp.account = { ...ADA, sub: "fay", email: "fay@example.com" };
    expect((await world.signIn({ at })).status).toBe(204);
    expect(rolesOf(await world.userOf("fay@example.com"))).toEqual([]);
    await world.http.request("DELETE", `/api/identity-providers/${at.id}`);
  });

  it("give no more roles and teams than the limits allow, and the audit record names the others", async () => {
    for (const slug of ["full", "open"]) await world.http.post("/api/teams", { slug, displayName: slug });
    const { organizationId } = world.stack;
    await query(
      world.stack,
      `WITH u AS (
         INSERT INTO principals (organization_id, id, kind, display_name, email)
         SELECT $1, gen_random_uuid(), 'user', 'Member', 'member-' || n || '@example.com' FROM generate_series(1, 1000) n RETURNING id)
       INSERT INTO team_members (organization_id, team_id, principal_id)
       SELECT $1, t.id, u.id FROM u, teams t WHERE t.organization_id = $1 AND t.slug = 'full'`,
      [organizationId],
    );
    const names = Array.from({ length: 22 }, (_, n) => `many-${String(n).padStart(2, "0")}`);
    for (const name of names)
      await world.http.request("PUT", `/api/roles/${name}`, { body: { permissions: ["scans:create"] } });
    const at = await world.addProvider({
      clientId: "limits",
      roles: names.map((role) => ({ group: null, role })),
      teams: ["full", "open"].map((team) => ({ group: "all", team })),
    });
    world.idp.account = { ...ADA, sub: "max", email: "max@example.com", groups: ["all"] };
    expect((await world.signIn({ at })).status).toBe(204);
    const user = await world.userOf("max@example.com");
    expect(rolesOf(user)).toEqual(names.slice(0, 20));
    expect(user.teams.map(({ slug }) => slug)).toEqual(["open"]);
    const { body } = await world.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=100");
    const exceeded = body.auditEvents.filter(({ action }) => action === "identity_provider.limit_reached");
    expect(exceeded.map(({ details }) => details)).toEqual([
      {
        principalId: user.id,
        identityProviderId: at.id,
        roles: ["many-20", "many-21"],
        teams: ["full"],
      },
    ]);
    await world.http.request("DELETE", `/api/identity-providers/${at.id}`);
  });

  it("give what a plain model gives, whatever groups a person is in over time", async () => {
    announceSeed();
    const random = createRandom("groups");
    const mapping: [group: string, role: string][] = [
      ["a", "viewer"],
      ["b", "developer"],
      ["c", "journey-editor"],
      ["d", "viewer"],
      ["e", "people-reader"],
    ];
    const own = new Map([["people-reader", ["principals:read"]]]);
    for (const [role, permissions] of own)
      await world.http.request("PUT", `/api/roles/${role}`, { body: { permissions } });
    const permissionsOf = (role: string) => own.get(role) ?? [...(BUILT_IN_ROLES.get(role) ?? [])];
    const roles = mapping.map(([group, role]) => ({ group, role }));
    const teams = [
      { group: "a", team: "model-one" },
      { group: "c", team: "model-two" },
    ];
    // A role that comes by a group, then by its team.
    const rolesOfTeams = new Map([["model-one", "people-reader"]]);
    for (const { team: slug } of teams) {
      const { body } = await world.http.post<{ id: string }>("/api/teams", { slug, displayName: slug });
      const role = rolesOfTeams.get(slug);
      if (role !== undefined) await world.http.post(`/api/teams/${body.id}/role-grants`, { role });
    }
    const keys: { rawKey: string; scopes: string[] }[] = [];
    const at = await world.addProvider({ clientId: "model", roles, teams });
    for (let n = 0; n < 25; n++) {
      const groups = ["a", "b", "c", "d", "e", "unknown", "A"].filter(() => random.integer(0, 1) === 1);
      world.idp.account = { ...ADA, sub: "model", email: "model@example.com", groups };
      const { cookie } = await world.signIn({ at });
      const given = [...new Set(mapping.flatMap(([group, role]) => (groups.includes(group) ? [role] : [])))];
      const user = await world.userOf("model@example.com");
      expect([n, groups, rolesOf(user)]).toEqual([n, groups, given.toSorted()]);
      expect(user.teams.map(({ slug }) => slug).toSorted()).toEqual(
        teams.flatMap(({ group, team }) => (groups.includes(group) ? [team] : [])),
      );
      const held = new Set((await world.sessionOf(cookie)).scopes.map(({ permission }) => permission));
      const byTeams = user.teams.flatMap(({ slug }) => rolesOfTeams.get(slug) ?? []);
      const allowed = new Set(["personal-keys:manage", ...[...given, ...byTeams].flatMap(permissionsOf)]);
      expect([...held].toSorted()).toEqual([...allowed].toSorted());
      // Two personal keys of the first sign-in have no more than they were given, and no more than the user has now.
      if (keys.length === 0)
        for (const scopes of [["*"], ["services:read", "principals:read"]])
          keys.push({ scopes, rawKey: await createKey(world.stack, scopes, { owner: user.id }) });
      const callers = [
        { scopes: ["*"], options: as(cookie) },
        ...keys.map(({ scopes, rawKey }) => ({ scopes, options: { key: rawKey } })),
      ];
      for (const { scopes, options } of callers)
        for (const [permission, path] of READS) {
          const may = allowed.has(permission) && (scopes.includes("*") || scopes.includes(permission));
          const { status } = await world.http.get(path, options);
          expect([n, groups, scopes, permission, status]).toEqual([
            n,
            groups,
            scopes,
            permission,
            may ? 200 : 403,
          ]);
          decisions[may ? "allowed" : "refused"]++;
        }
    }
    await world.http.request("DELETE", `/api/identity-providers/${at.id}`);
    expect(Math.min(decisions.allowed, decisions.refused)).toBeGreaterThan(20);
  });
});
