// How many users, roles and invitations an organization can have.
import { randomUUID } from "node:crypto";
import { INVITATION_LIMITS } from "@waymark/shared/principals/invitations/schema.ts";
import { ROLE_LIMITS } from "@waymark/shared/principals/roles/schema.ts";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import type { HttpResponse } from "@waymark/test-support/http-client.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Inserts rows. @param values SQL of a row's values after its organization; `n` is its number */
const insert = (table: string, values: string, count: number) =>
  query(stack, `INSERT INTO ${table} SELECT $1, ${values} FROM generate_series(1, $2::int) n`, [
    stack.organizationId,
    count,
  ]);
const invite = (email = `${randomUUID()}@example.com`) =>
  stack.http.post("/api/invitations", { email, roles: [{ role: "viewer" }] });
function expectFull(answer: HttpResponse<unknown>) {
  expect(errorOf(answer)).toMatchObject({ status: 409, code: "limit_reached" });
}

describe("an organization has at most", () => {
  it(`${INVITATION_LIMITS.openMax} open invitations, of which one can be replaced`, async () => {
    const email = "last@example.com";
    await insert(
      "invitations (organization_id, id, email, roles, token_hash, expires_at)",
      "gen_random_uuid(), 'open-' || n || '@example.com', '[]', sha256(n::text::bytea), now() + interval '1 day'",
      INVITATION_LIMITS.openMax - 1,
    );
    expect((await invite(email)).status).toBe(201);
    expectFull(await invite());
    expect((await invite(email)).status).toBe(201);
    await query(stack, "UPDATE invitations SET expires_at = now() WHERE email = 'open-1@example.com'");
    expect((await invite()).status).toBe(201);
    await query(stack, "DELETE FROM invitations");
  });

  it(`${ROLE_LIMITS.rolesMax} roles of its own, and a user ${ROLE_LIMITS.grantsPerUserMax}`, async () => {
    const permissions = ["services:read"];
    const set = (name: string) => stack.http.request("PUT", `/api/roles/${name}`, { body: { permissions } });
    await insert(
      "roles (organization_id, name, permissions)",
      "'r' || n, '{audit:read}'",
      ROLE_LIMITS.rolesMax,
    );
    expectFull(await set("another"));
    expect((await set("r1")).status).toBe(200);

    const user = await storeUser(stack, { roles: [] });
    const grant = (role: string) => stack.http.post(`/api/principals/${user.id}/role-grants`, { role });
    await insert(
      "role_grants (organization_id, id, principal_id, role)",
      `gen_random_uuid(), '${user.id}', 'r' || n`,
      ROLE_LIMITS.grantsPerUserMax,
    );
    expectFull(await grant("viewer"));
    // It has this one.
    expect((await grant("r1")).status).toBe(201);
  });

  it(`${PRINCIPAL_LIMITS.principalsMax} users and service accounts together`, async () => {
    const create = () =>
      stack.http.post("/api/principals", { type: "service_account", displayName: "Deployments" });
    const invited = (await invite()).body as { url: string };
    await insert(
      "principals (organization_id, id, kind, display_name)",
      "gen_random_uuid(), 'service_account', 's'",
      PRINCIPAL_LIMITS.principalsMax,
    );
    expectFull(await create());
    expectFull(await invite());
    const acceptance = { token: invited.url.split("#invitation=")[1], displayName: "Ada" };
    expectFull(await stack.http.post("/api/invitation-acceptances", acceptance));
    await query(stack, "DELETE FROM principals WHERE display_name = 's'");
    expect((await create()).status).toBe(201);
  });
});
