import { randomUUID } from "node:crypto";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import type { Stack } from "@waymark/test-support/stack.ts";

const JOINED = "2026-10-01T08:00:00Z";
const PEOPLE = [
  { name: "Katherine Johnson", roles: [{ role: "viewer", services: null }] },
  {
    name: "Margaret Hamilton",
    roles: [
      { role: "developer", services: ["payments", "payments-*"] },
      { role: "journey-editor", services: null },
    ],
  },
  { name: "Grace Hopper", roles: [{ role: "developer", services: null }] },
  { name: "Ada Lovelace", roles: [{ role: "administrator", services: null }] },
];

/** Stores people with roles, a service account and an invitation. Returns the ids of a person with two roles and of a team, and a key of a person. */
export async function createDemoPeople(
  stack: Stack,
): Promise<{ person: string; team: string; personKey: string }> {
  const { organizationId, http } = stack;
  let [person, administrator] = ["", ""];
  for (const [index, { name, roles }] of PEOPLE.entries()) {
    // In their order, each time.
    const id = `00000000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`;
    const email = `${name.split(" ")[0]?.toLowerCase()}@example.com`;
    await query(
      stack,
      "INSERT INTO principals (organization_id, id, kind, display_name, email, created_at) VALUES ($1, $2, 'user', $3, $4, $5)",
      [organizationId, id, name, email, JOINED],
    );
    for (const { role, services } of roles) {
      await query(
        stack,
        "INSERT INTO role_grants (organization_id, id, principal_id, role, service_names, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        [organizationId, randomUUID(), id, role, services, JOINED],
      );
    }
    if (roles.length > 1) person = id;
    administrator = id;
  }
  await http.post("/api/principals", { type: "service_account", displayName: "Deployments" });
  await http.post("/api/invitations", { email: "annie@example.com", roles: [{ role: "viewer" }] });
  const team = await http.post<{ id: string }>("/api/teams", { slug: "payments", displayName: "Payments" });
  await http.request("PUT", `/api/teams/${team.body.id}/members/${person}`, { body: {} });
  await http.post(`/api/teams/${team.body.id}/role-grants`, { role: "developer", ownedBy: "payments" });
  const personKey = await createKey(stack, ["*"], { owner: administrator });
  await query(
    stack,
    "UPDATE api_keys SET name = 'laptop', created_at = $2 WHERE organization_id = $1 AND owner_principal_id = $3",
    [organizationId, JOINED, administrator],
  );
  return { person, team: team.body.id, personKey };
}
