import { randomUUID } from "node:crypto";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeRoleGrant, storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { announceSeed, createRandom } from "@waymark/test-support/scale.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startStack, type Stack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

announceSeed();

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  await query(
    stack,
    "INSERT INTO roles (organization_id, name, permissions) VALUES ($1, 'only-updates', '{services:update}')",
    [stack.organizationId],
  );
});
afterAll(() => stack[Symbol.asyncDispose]());

// The model says in plain objects what a key may do. It knows nothing of scopes and statements.

/** The permissions of two built-in roles and an own one, as far as the requests need them. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  viewer: ["services:read"],
  developer: ["services:read", "services:update"],
  "only-updates": ["services:update"],
};
const ROLE_NAMES = Object.keys(ROLES);

interface Grant {
  role: string;
  principalId?: string;
  teamId?: string;
  serviceNames: readonly string[] | null;
  ownedBy: string | null;
}
interface Service {
  id: string;
  name: string;
  ownerId: string | null;
}
interface Key {
  rawKey: string;
  userId: string;
  permissions: readonly string[];
  serviceId: string | null;
}
interface Organization {
  grants: readonly Grant[];
  members: ReadonlySet<string>;
  services: readonly Service[];
  keys: readonly Key[];
}

const isNamed = (names: readonly string[], { name }: Service) =>
  names.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each));

function may({ grants, members }: Organization, key: Key, permission: string, service: Service): boolean {
  const byKey =
    (key.permissions.includes("*") || key.permissions.includes(permission)) &&
    (key.serviceId === null || key.serviceId === service.id);
  const byRoles = grants.some(
    ({ role, principalId, teamId, serviceNames, ownedBy }) =>
      (principalId === key.userId || members.has(`${teamId} ${key.userId}`)) &&
      ROLES[role]?.includes(permission) === true &&
      (serviceNames === null || isNamed(serviceNames, service)) &&
      (ownedBy === null || ownedBy === service.ownerId),
  );
  return byKey && byRoles;
}

/** The decisions of all rounds. */
const decisions = { allowed: 0, refused: 0 };

/** Stores an organization of users, teams, roles, services and keys by chance. */
async function organization(round: number): Promise<Organization> {
  const random = createRandom(`teams ${round}`);
  const chance = (of: number) => random.integer(1, of) === 1;
  const one = <T>(list: readonly T[]): T => {
    const found = list[random.integer(0, list.length - 1)];
    if (found === undefined) throw new Error("The list is empty.");
    return found;
  };
  const users = await Promise.all(Array.from({ length: 5 }, () => storeUser(stack, { roles: [] })));
  const teams = await Promise.all(Array.from({ length: 4 }, () => storeTeam(stack)));
  const members = new Set<string>();
  for (const teamId of teams)
    for (const { id: principalId } of users)
      if (chance(3)) {
        await storeTeamMember(stack, { teamId, principalId });
        members.add(`${teamId} ${principalId}`);
      }
  const start = randomUUID().slice(0, 8);
  const services: Service[] = [];
  for (const suffix of ["pay", "pay-eu", "pay*", "orders", "orders-eu", "none"]) {
    const service = { id: randomUUID(), name: `${start}-${suffix}`, ownerId: chance(3) ? null : one(teams) };
    await query(
      stack,
      "INSERT INTO services (organization_id, id, name, owner_team_id) VALUES ($1, $2, $3, $4)",
      [stack.organizationId, service.id, service.name, service.ownerId],
    );
    services.push(service);
  }
  const grants: Grant[] = [];
  for (let n = 0; n < 8; n++) {
    const limit = random.integer(0, 3);
    const grant = {
      role: one(ROLE_NAMES),
      ...(chance(2) ? { principalId: one(users).id } : { teamId: one(teams) }),
      serviceNames: limit === 1 ? [`${start}-${one(["pay*", "orders", "none", "pay-*"])}`] : null,
      ownedBy: limit >= 2 ? one(teams) : null,
    };
    await storeRoleGrant(stack, grant);
    grants.push(grant);
  }
  const keys: Key[] = [];
  for (const { id: userId } of users)
    for (const permissions of [["*"], [one(["services:read", "services:update"])]]) {
      const serviceId = permissions[0] !== "*" && chance(2) ? one(services).id : null;
      const scopes = permissions.map((permission) => ({ permission, serviceId }));
      keys.push({
        rawKey: await createKey(stack, scopes, { owner: userId }),
        userId,
        permissions,
        serviceId,
      });
    }
  return { grants, members, services, keys };
}

/** Requests whose permission is decided for the service alone. */
const REQUESTS = [
  ["services:read", "GET", undefined],
  ["services:update", "PATCH", {}],
] as const;

it.each([1, 2, 3, 4])(
  "a user's key may do with a service what the model of roles, teams and owners says (round %i)",
  async (round) => {
    const stored = await organization(round);
    const wrong: string[] = [];
    for (const key of stored.keys)
      for (const service of stored.services)
        for (const [permission, method, body] of REQUESTS) {
          const isAllowed = may(stored, key, permission, service);
          decisions[isAllowed ? "allowed" : "refused"]++;
          const { status } = await stack.http.request(method, `/api/services/${service.id}`, {
            key: key.rawKey,
            ...(body === undefined ? {} : { body }),
          });
          if (status !== (isAllowed ? 200 : 403)) wrong.push(`${permission} ${service.name}: ${status}`);
        }
    expect(wrong).toEqual([]);
    for (const key of stored.keys) {
      const readable = stored.services.filter((each) => may(stored, key, "services:read", each));
      const { body } = await stack.http.get<{ services?: { id: string }[] }>("/api/services?limit=200", {
        key: key.rawKey,
      });
      const own = new Set(stored.services.map(({ id }) => id));
      const listed = (body.services ?? []).filter(({ id }) => own.has(id)).map(({ id }) => id);
      expect(listed.toSorted()).toEqual(readable.map(({ id }) => id).toSorted());
    }
  },
);

it("the rounds have allowed and refused requests: otherwise they would show nothing", () => {
  expect(Math.min(decisions.allowed, decisions.refused)).toBeGreaterThan(0);
});
