import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { SAVED_VIEW_LIMITS } from "@waymark/shared/saved-views/limits.ts";
import type { SavedView } from "@waymark/shared/saved-views/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { type StoredUser, storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const PATH = "/api/saved-views";
const OVERDUE = { name: "Overdue", page: "/findings", query: "due=overdue&owner=me" };

const save = (body: object, { rawKey: key }: Pick<StoredUser, "rawKey">) =>
  stack.http.post<SavedView>(PATH, body, { key });
const list = async ({ rawKey: key }: Pick<StoredUser, "rawKey">, search = "") =>
  (await stack.http.get<{ savedViews: SavedView[]; nextCursor?: string }>(`${PATH}${search}`, { key })).body;
const namesOf = async (user: Pick<StoredUser, "rawKey">, search = "") =>
  (await list(user, search)).savedViews.map(({ name }) => name);
const change = (view: SavedView, body: object, user: Pick<StoredUser, "rawKey">, revision = view.revision) =>
  stack.http.request<SavedView>("PATCH", `${PATH}/${view.id}`, {
    key: user.rawKey,
    body,
    headers: { "if-match": `"${revision}"` },
  });
const remove = ({ id }: SavedView, { rawKey: key }: Pick<StoredUser, "rawKey">) =>
  stack.http.request("DELETE", `${PATH}/${id}`, { key });
const viewer = () => storeUser(stack, { roles: ["viewer"] });
const events = async (action: string, { id }: SavedView) => {
  const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
    `/api/audit-events?action=saved_view.${action}`,
  );
  return body.auditEvents.filter(({ details }) => details["savedViewId"] === id);
};

describe("a view of a person", () => {
  it("is saved, listed, renamed, replaced and removed by its owner, and nobody else sees it", async () => {
    const [ada, eve] = [await viewer(), await storeUser(stack)];
    const { status, body: view } = await save(OVERDUE, ada);
    expect({ status, view }).toEqual({
      status: 201,
      view: { id: expect.any(String), ...OVERDUE, team: null, revision: 1, updatedAt: expect.any(String) },
    });
    expect(await list(ada)).toEqual({ savedViews: [view] });
    expect(await list(ada, "?page=/services")).toEqual({ savedViews: [] });
    expect(await list(eve)).toEqual({ savedViews: [] });
    // Eve is an administrator: what a person keeps for herself is not hers, either.
    expect((await change(view, { name: "Mine" }, eve)).status).toBe(404);
    expect((await remove(view, eve)).status).toBe(404);
    const renamed = await change(view, { name: "Late" }, ada);
    expect(renamed.body).toMatchObject({ name: "Late", query: OVERDUE.query, revision: 2 });
    const replaced = await change(renamed.body, { page: "/services", query: "" }, ada);
    expect(replaced.body).toMatchObject({ name: "Late", page: "/services", query: "", revision: 3 });
    expect((await remove(view, ada)).status).toBe(204);
    expect((await remove(view, ada)).status).toBe(404);
    expect(await list(ada)).toEqual({ savedViews: [] });
    for (const action of ["created", "updated", "deleted"]) expect(await events(action, view)).toEqual([]);
  });

  it("has a name that no other view of its owner has, in any case", async () => {
    const [ada, eve] = [await viewer(), await viewer()];
    const taken = { status: 409, code: "saved_view_name_taken" };
    const { body: first } = await save(OVERDUE, ada);
    expect(errorOf(await save({ ...OVERDUE, name: "OVERDUE" }, ada))).toMatchObject(taken);
    const { body: other } = await save({ ...OVERDUE, name: "Other" }, ada);
    expect(errorOf(await change(other, { name: "overdue" }, ada))).toMatchObject(taken);
    // The case of its own name can be changed.
    expect((await change(first, { name: "overdue" }, ada)).body.name).toBe("overdue");
    expect((await save(OVERDUE, eve)).status).toBe(201);
    const both = await Promise.all([1, 2].map(() => save({ ...OVERDUE, name: "Twice" }, ada)));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  });

  it("is refused to a key that belongs to no user, also to one with full access", async () => {
    const key = { rawKey: await createKey(stack, ["*"]) };
    const refused = { status: 409, code: "user_required" };
    expect(errorOf(await save(OVERDUE, key))).toMatchObject(refused);
    expect(errorOf(await stack.http.get(PATH, { key: key.rawKey }))).toMatchObject(refused);
  });

  it("is not reached by a key of its owner that may not read services", async () => {
    const ada = await viewer();
    const { body: view } = await save(OVERDUE, ada);
    const narrow = { rawKey: await createKey(stack, ["scans:create"], { owner: ada.id }) };
    const denied = { status: 403, code: "permission_denied" };
    for (const answer of [
      await stack.http.get(PATH, { key: narrow.rawKey }),
      await save(OVERDUE, narrow),
      await change(view, { name: "x" }, narrow),
      await remove(view, narrow),
    ])
      expect(errorOf(answer)).toMatchObject(denied);
  });

  it("has at most so many of a person", async () => {
    const ada = await viewer();
    const { perOwnerMax } = SAVED_VIEW_LIMITS;
    await query(
      stack,
      `INSERT INTO saved_views (organization_id, id, principal_id, name, page, query)
       SELECT $1, gen_random_uuid(), $2, 'v' || n, '/', '' FROM generate_series(2, $3::int) n`,
      [stack.organizationId, ada.id, perOwnerMax],
    );
    const { body: last } = await save(OVERDUE, ada);
    expect(errorOf(await save({ ...OVERDUE, name: "Next" }, ada))).toMatchObject({
      status: 409,
      code: "limit_reached",
    });
    expect((await change(last, { name: "Last" }, ada)).status).toBe(200);
    const first = await list(ada, "?limit=60");
    const rest = await list(ada, `?limit=60&cursor=${first.nextCursor}`);
    expect(new Set([...first.savedViews, ...rest.savedViews].map(({ id }) => id)).size).toBe(perOwnerMax);
  });
});

describe("a change of a view", () => {
  it("is refused if somebody has changed the view since, and says so", async () => {
    const [ada, eve, teamId] = [await viewer(), await viewer(), await storeTeam(stack)];
    for (const { id: principalId } of [ada, eve]) await storeTeamMember(stack, { teamId, principalId });
    const { body: view } = await save({ ...OVERDUE, teamId }, ada);
    expect((await change(view, { query: "due=soon" }, eve)).status).toBe(200);
    expect(errorOf(await change(view, { name: "Late" }, ada))).toMatchObject({
      status: 412,
      code: "revision_conflict",
    });
    const { savedViews } = await list(ada);
    expect(savedViews).toMatchObject([{ name: "Overdue", query: "due=soon", revision: 2 }]);
    // Nothing to change is no change.
    expect((await change(view, { query: "due=soon" }, ada, 2)).body.revision).toBe(2);
    expect(
      (await stack.http.request("PATCH", `${PATH}/${view.id}`, { key: ada.rawKey, body: {} })).status,
    ).toBe(400);
  });

  it.each([
    { page: "/teams/1" },
    { page: "//evil.example" },
    { page: "https://evil.example/" },
    { page: "/api-keys" },
    { page: "" },
    { query: "#invitation=x" },
    { query: "q=a#b" },
    { query: "q=a b" },
    { query: "q=\\evil" },
    { query: "q=ä" },
    { query: 'q="' },
    { query: "q=<script>" },
    { query: "\n" },
    { name: "" },
    { name: " Overdue" },
    { name: "a\nb" },
    { name: "Over\u200bdue" },
    { organizationId: "11111111-1111-4111-8111-111111111111" },
  ])("and a new view are refused with %j", async (wrong) => {
    const ada = await viewer();
    const { body: view } = await save(OVERDUE, ada);
    expect((await save({ ...OVERDUE, name: "New", ...wrong }, ada)).status).toBe(400);
    expect((await change(view, wrong, ada)).status).toBe(400);
  });

  it("with a name or a query that is too long are refused, and the longest are stored", async () => {
    const ada = await viewer();
    const { nameMax, queryMax } = SAVED_VIEW_LIMITS;
    const longest = { name: "x".repeat(nameMax), query: "a".repeat(queryMax) };
    expect((await save({ ...OVERDUE, ...longest }, ada)).body).toMatchObject(longest);
    for (const wrong of [{ name: "x".repeat(nameMax + 1) }, { query: "a".repeat(queryMax + 1) }])
      expect((await save({ ...OVERDUE, ...wrong }, ada)).status).toBe(400);
  });

  it("with an API key in a name or a query is refused, and the response does not repeat it", async () => {
    const ada = await viewer();
    for (const wrong of [{ name: ada.rawKey }, { query: `q=${ada.rawKey}` }]) {
      const answer = await save({ ...OVERDUE, ...wrong }, ada);
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain(ada.rawKey);
    }
  });
});

describe("a view of a team", () => {
  it("is for its members and for whoever may manage teams, and there is no such team for others", async () => {
    const [ada, eve, stranger] = [await viewer(), await viewer(), await viewer()];
    const teamId = await storeTeam(stack);
    for (const { id: principalId } of [ada, eve]) await storeTeamMember(stack, { teamId, principalId });
    const manager = { rawKey: await createKey(stack, ["services:read", "teams:manage"]) };
    const { body: view } = await save({ ...OVERDUE, teamId }, ada);
    expect(view.team).toMatchObject({ id: teamId });
    await save(OVERDUE, ada);
    expect(await namesOf(ada)).toEqual(["Overdue", "Overdue"]);
    expect(await namesOf(eve)).toEqual(["Overdue"]);
    expect(await namesOf(ada, `?teamId=${teamId}`)).toEqual(["Overdue"]);
    expect(await namesOf(manager, `?teamId=${teamId}`)).toEqual(["Overdue"]);
    expect(await namesOf(stranger)).toEqual([]);
    const unknown = "11111111-1111-4111-8111-111111111111";
    const asked = async (id: string) =>
      errorOf(await stack.http.get(`${PATH}?teamId=${id}`, { key: stranger.rawKey }));
    expect({ ...(await asked(teamId)), requestId: "" }).toEqual({ ...(await asked(unknown)), requestId: "" });
    expect((await asked(teamId)).status).toBe(404);
    for (const answer of [
      await save({ ...OVERDUE, teamId }, stranger),
      await change(view, { name: "x" }, stranger),
      await remove(view, stranger),
    ])
      expect(answer.status).toBe(404);
    expect((await change(view, { name: "By Eve" }, eve)).status).toBe(200);
    expect((await change(view, { name: "By the manager" }, manager, 2)).status).toBe(200);
    expect((await remove(view, manager)).status).toBe(204);
    expect(await events("created", view)).toMatchObject([{ details: { savedViewId: view.id, teamId } }]);
    expect(await events("updated", view)).toHaveLength(2);
    expect(await events("deleted", view)).toMatchObject([
      { details: { savedViewId: view.id, name: "By the manager", page: "/findings" } },
    ]);
  });

  it("is refused if the team is deleted while it is saved", async () => {
    const [ada, teamId] = [await viewer(), await storeTeam(stack)];
    await storeTeamMember(stack, { teamId, principalId: ada.id });
    const savers = "SELECT pg_advisory_xact_lock(hashtextextended('saved views of ' || $1, 0))";
    await using held = await holdStatement(stack, savers, [teamId]);
    const answer = save({ ...OVERDUE, teamId }, ada);
    await untilWaiting(stack, { atLeast: 1, type: "advisory" });
    expect((await stack.http.request("DELETE", `/api/teams/${teamId}`)).status).toBe(204);
    await held.commit();
    expect(errorOf(await answer)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("leaves with the membership, and ends with the team", async () => {
    const [ada, teamId] = [await viewer(), await storeTeam(stack)];
    await storeTeamMember(stack, { teamId, principalId: ada.id });
    const { body: view } = await save({ ...OVERDUE, teamId }, ada);
    await stack.http.request("DELETE", `/api/teams/${teamId}/members/${ada.id}`);
    expect(await namesOf(ada)).toEqual([]);
    expect((await remove(view, ada)).status).toBe(404);
    await stack.http.request("DELETE", `/api/teams/${teamId}`);
    expect(await query(stack, "SELECT id FROM saved_views WHERE id = $1", [view.id])).toEqual([]);
  });
});
