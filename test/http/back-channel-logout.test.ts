import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ScriptedSignIn } from "@waymark/test-support/scripted-sign-in.ts";
import { UnsecuredJWT } from "jose";
import { createIssuerKey } from "@waymark/test-support/issuer.ts";
import { query } from "@waymark/test-support/sql.ts";

let world: ScriptedSignIn;
beforeAll(async () => {
  world = await ScriptedSignIn.start();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.beHonest());

const LOGOUT = "http://schemas.openid.net/event/backchannel-logout";

describe("a logout token", () => {
  const honest = { aud: "waymark", sub: "mallory", events: { [LOGOUT]: {} }, nbf: undefined };
  const logOut = (token: string, at = world.provider) =>
    world.http.request("POST", `/api/identity-providers/${at.id}/back-channel-logout`, {
      key: null,
      body: new URLSearchParams({ logout_token: token }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  const openSession = async () => {
    const completed = await world.complete(await world.begin());
    const line = completed.headers.getSetCookie().find((one) => one.startsWith("waymark_session="));
    const cookie = line?.split(";")[0] ?? "";
    return async () => (await world.http.get("/api/session", { key: null, headers: { cookie } })).status;
  };

  it("ends sessions of every key that the person's sign-ins had", async () => {
    const statusOf = await openSession();
    const disable = (when: "now()" | "NULL") =>
      query(world.stack, `UPDATE api_keys SET disabled_at = ${when} WHERE name LIKE 'Sign-in%'`);
    // The next sign-in needs another key, because this one is disabled for a while.
    await disable("now()");
    const newer = await openSession();
    await disable("NULL");
    const keys = await query(
      world.stack,
      "SELECT DISTINCT api_key_id FROM sessions WHERE expires_at > now()",
    );
    expect([await statusOf(), await newer(), keys.length]).toEqual([200, 200, 2]);
    await logOut(await world.issuer.token({ ...honest, iat: Math.floor(Date.now() / 1000) }));
    expect([await statusOf(), await newer()]).toEqual([401, 401]);
  });

  it("ends the person's sessions, and none that is newer when it is sent again", async () => {
    const statusOf = await openSession();
    const token = await world.issuer.token({ ...honest, iat: Math.floor(Date.now() / 1000) });
    expect([(await logOut(token)).status, await statusOf()]).toEqual([200, 401]);
    const { body } = await world.http.get<{ auditEvents: AuditEvent[] }>(
      "/api/audit-events?action=session.ended",
    );
    expect(body.auditEvents[0]).toMatchObject({ actor: { displayName: "Mallory" } });
    const newer = await openSession();
    await query(
      world.stack,
      "UPDATE sessions SET created_at = now() + interval '2 seconds' WHERE expires_at > now()",
    );
    expect([(await logOut(token)).status, await newer()]).toEqual([200, 200]);
  });

  it.each<[string, () => Promise<string>]>([
    ["for another client", () => world.issuer.token({ ...honest, aud: "another" })],
    ["of another issuer", () => world.issuer.token({ ...honest, iss: "https://honest.example" })],
    ["that is an ID token", () => world.issuer.token({ ...honest, nonce: "n" })],
    ["without the event", () => world.issuer.token({ ...honest, events: {} })],
    ["for nobody", () => world.issuer.token({ ...honest, sub: undefined })],
    ["with an event that is none", () => world.issuer.token({ ...honest, events: { [LOGOUT]: null } })],
    ["with a list of events", () => world.issuer.token({ ...honest, events: [LOGOUT] })],
    ["without events", () => world.issuer.token({ ...honest, events: undefined })],
    ["without a time of issue", () => world.issuer.token({ ...honest, iat: undefined })],
    ["that has expired", () => world.issuer.token({ ...honest, exp: Math.floor(Date.now() / 1000) - 900 })],
    [
      "that is issued tomorrow",
      () => world.issuer.token({ ...honest, iat: Math.floor(Date.now() / 1000) + 86_400 }),
    ],
    ["that is old", () => world.issuer.token({ ...honest, iat: Math.floor(Date.now() / 1000) - 900 })],
    [
      "that another key signed",
      async () => world.issuer.token(honest, { key: await createIssuerKey("RS256") }),
    ],
    [
      "that nobody signed",
      async () =>
        new UnsecuredJWT({
          aud: "waymark",
          sub: "mallory",
          events: honest.events,
          iss: world.issuer.issuer,
        }).encode(),
    ],
    ["of another type", () => world.issuer.token(honest, { header: { typ: "at+jwt" } })],
    ["that is none", async () => "a.b.c"],
  ])("%s ends nothing", async (_, make) => {
    const statusOf = await openSession();
    expect([(await logOut(await make())).status, await statusOf()]).toEqual([400, 200]);
  });

  it("that names another issuer or client has the server read nothing", async () => {
    const before = world.issuer.requests.length;
    for (const change of [{ aud: "another" }, { iss: "https://honest.example" }])
      await logOut(await world.issuer.token({ ...honest, ...change }));
    await logOut("a.b.c");
    expect(world.issuer.requests).toHaveLength(before);
  });

  it("of one provider ends nothing of another", async () => {
    const statusOf = await openSession();
    expect([
      (await logOut(await world.issuer.token({ ...honest, aud: "other" }), world.other)).status,
      await statusOf(),
    ]).toEqual([200, 200]);
  });
});
