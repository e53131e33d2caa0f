import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey } from "@waymark/test-support/api-keys.ts";
import { startCountedPostgres } from "@waymark/test-support/postgres/counted.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { dumpStack, findSecrets } from "@waymark/test-support/secret-search.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { ageSession, outcomeOf, OWN_PAGE, signIn, signOut } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startApi, startStack, startWorker, type TestApi } from "@waymark/test-support/stack.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";

const ENDED = "401 session_ended: Your session has ended. Sign in again.";

let stack: Stack;
/** Another process on the same database, with its own idle time. */
let other: TestApi;
beforeAll(async () => {
  stack = await startStack({ apiEnv: { LOG_LEVEL: "trace" } });
  other = await startApi({ databaseUrl: stack.databaseUrl, env: { SESSION_IDLE_MINUTES: "5" } });
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const age = (...change: [string, "last_seen_at" | "expires_at", number]) => ageSession(stack, ...change);

async function ageOf(token: string): Promise<number> {
  const [row] = await query<{ seconds: number }>(
    stack,
    `SELECT extract(epoch FROM now() - last_seen_at)::int AS seconds FROM sessions
     WHERE token_hash = sha256($1::bytea)`,
    [token],
  );
  return row?.seconds ?? Number.NaN;
}

/** Waits for the use of a session to be recorded: the api does it in the background, about once a second. */
const useIsRecorded = (token: string) =>
  waitUntil("the record of the session's use", async () => (await ageOf(token)) < 60);

describe("a session", () => {
  it("that was signed out of is over on every process, for every copy of its cookie", async () => {
    const { cookie, answer } = await signIn(stack.api, stack.apiKey);
    expect(answer.status).toBe(200);
    const copy = cookie;
    expect([await outcomeOf(stack.api, copy), await outcomeOf(other, copy)]).toEqual(["200", "200"]);

    const signedOut = await signOut(stack.api, cookie);
    expect(signedOut.status).toBe(200);
    expect(signedOut.headers.get("set-cookie")).toBe(
      "waymark_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    );
    expect([await outcomeOf(other, copy), await outcomeOf(stack.api, copy)]).toEqual([ENDED, ENDED]);
  });

  it("is over when its key is revoked or expires: at once, and on every process", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    const first = await signIn(stack.api, rawKey);
    expect(await outcomeOf(other, first.cookie)).toBe("200");
    await stack.http.post(`/api/api-keys/${id}/revoke`);
    expect(await outcomeOf(other, first.cookie)).toContain("401 api_key_revoked");
    expect(await outcomeOf(stack.api, first.cookie)).toContain("401 api_key_revoked");

    const expiring = await createKey(stack, ["*"], { expiresAt: new Date(Date.now() + 60_000) });
    const second = await signIn(stack.api, expiring);
    expect(await outcomeOf(other, second.cookie)).toBe("200");
    await query(stack, "UPDATE api_keys SET expires_at = now() WHERE prefix = $1", [expiring.slice(0, 16)]);
    expect(await outcomeOf(other, second.cookie)).toContain("401 api_key_expired");
  });

  it("follows its key's state, also a temporary one: disabled, or used from outside its networks", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    const { cookie } = await signIn(stack.api, rawKey);
    const change = (set: string) => query(stack, `UPDATE api_keys SET ${set} WHERE id = $1`, [id]);
    await change("disabled_at = now()");
    expect(await outcomeOf(other, cookie)).toContain("401 api_key_disabled");
    await change("disabled_at = NULL, allowed_networks = '{192.0.2.0/24}'");
    expect(await outcomeOf(other, cookie)).toContain("403 network_not_allowed");
    await change("allowed_networks = NULL");
    expect(await outcomeOf(other, cookie)).toBe("200");
  });

  it("can be signed out of when its key no longer works", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    const { cookie } = await signIn(stack.api, rawKey);
    await stack.http.post(`/api/api-keys/${id}/revoke`);
    expect((await signOut(other, cookie)).status).toBe(200);
    expect(await query(stack, "SELECT FROM sessions WHERE api_key_id = $1", [id])).toEqual([]);
  });

  it("ends when it was not used for SESSION_IDLE_MINUTES, an hour by default", async () => {
    const { cookie, token } = await signIn(stack.api, stack.apiKey);
    await age(token, "last_seen_at", 5 * 60 - 120);
    expect(await outcomeOf(other, cookie)).toBe("200");
    await useIsRecorded(token);
    await age(token, "last_seen_at", 5 * 60);
    expect(await outcomeOf(other, cookie)).toContain(
      "401 session_ended: Your session has ended after 5 minutes",
    );

    expect(await outcomeOf(stack.api, cookie)).toBe("200");
    await useIsRecorded(token);
    await age(token, "last_seen_at", 60 * 60 - 180);
    expect(await outcomeOf(stack.api, cookie)).toBe("200");
    await useIsRecorded(token);
    await age(token, "last_seen_at", 60 * 60);
    expect(await outcomeOf(stack.api, cookie)).toContain(
      "Your session has ended after 60 minutes without use",
    );
    // An ended session stays ended: a refused request doesn't count as use.
    expect(await outcomeOf(stack.api, cookie)).toContain(
      "Your session has ended after 60 minutes without use",
    );
  });

  it("ends after 12 hours, even in constant use", async () => {
    const { cookie, token, answer } = await signIn(stack.api, stack.apiKey);
    const { expiresAt } = answer.body;
    expect(Date.parse(expiresAt ?? "") - Date.now()).toBeGreaterThan(12 * 3_600_000 - 60_000);
    expect(Date.parse(expiresAt ?? "") - Date.now()).toBeLessThan(12 * 3_600_000 + 60_000);

    await age(token, "expires_at", 12 * 3600 - 300);
    await age(token, "last_seen_at", 30 * 60);
    for (let used = 0; used < 10; used++) expect(await outcomeOf(stack.api, cookie)).toBe("200");
    await useIsRecorded(token);
    await age(token, "expires_at", 300);
    const over = "401 session_ended: Your session has ended after 12 hours. Sign in again.";
    expect([await outcomeOf(stack.api, cookie), await outcomeOf(other, cookie)]).toEqual([over, over]);
  });

  it("costs a request one query; an unknown token costs one, a malformed one none", async () => {
    await using counted = await startCountedPostgres(stack.databaseUrl);
    const env = { DATABASE_DIRECT_URL: serviceUrl(stack.databaseUrl) };
    await using api = await startApi({ databaseUrl: counted.url, env });
    const { id, rawKey } = await makeKey(stack, {});
    const { cookie } = await signIn(stack.api, rawKey);
    // The use of a key is recorded by a separate statement, once a minute.
    await query(stack, "UPDATE api_keys SET last_used_at = now() WHERE id = $1", [id]);
    const queriesOf = async (sent: string) => {
      const before = counted.queries();
      // It is refused as soon as its session was found.
      const refused = await createHttpClient(api.baseUrl).get("/api/services?limit=none", {
        headers: { cookie: sent },
      });
      expect([400, 401]).toContain(refused.status);
      return counted.queries() - before;
    };
    expect(await queriesOf(cookie)).toBe(1);
    expect(await queriesOf(`waymark_session=wms_${"a".repeat(43)}`)).toBe(1);
    expect(await queriesOf("waymark_session=junk")).toBe(0);
  });

  it("records its use once a minute, not with every request", async () => {
    const { cookie, token } = await signIn(stack.api, stack.apiKey);
    await query(stack, "CREATE TABLE uses (token_hash bytea)");
    await query(
      stack,
      `CREATE FUNCTION note_use() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
       $$ BEGIN INSERT INTO uses VALUES (new.token_hash); RETURN NULL; END $$`,
    );
    await query(
      stack,
      "CREATE TRIGGER note AFTER UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION note_use()",
    );
    const ofToken = "SELECT FROM uses WHERE token_hash = sha256($1::bytea)";
    const uses = async () => (await query(stack, ofToken, [token])).length;
    await age(token, "last_seen_at", 61);
    expect(await uses()).toBe(1);
    for (let sent = 0; sent < 50; sent++) {
      expect(await outcomeOf(sent % 2 === 0 ? stack.api : other, cookie)).toBe("200");
    }
    await expect.poll(uses).toBe(2);
    await query(stack, "DROP TRIGGER note ON sessions");
  });

  it("is deleted by the worker after its 12 hours", async () => {
    const [old, young] = [await signIn(stack.api, stack.apiKey), await signIn(stack.api, stack.apiKey)];
    await age(old.token, "expires_at", 12 * 3600);
    await stack.worker.stop();
    stack.worker = await startWorker({ ...stack, env: { WORKER_HOUSEKEEPING_MS: "100" } });
    const isStored = async (token: string) =>
      (await query(stack, "SELECT FROM sessions WHERE token_hash = sha256($1::bytea)", [token])).length === 1;
    await expect.poll(() => isStored(old.token)).toBe(false);
    expect(await isStored(young.token)).toBe(true);
    expect(await outcomeOf(stack.api, old.cookie)).toBe(ENDED);
  });
});

describe("signing in", () => {
  it("never accepts a token that the browser sends as the new session's", async () => {
    const madeUp = `wms_${"f".repeat(43)}`;
    const attackers = await signIn(stack.api, await createKey(stack, []));
    for (const offered of [madeUp, attackers.token]) {
      const victim = await signIn(stack.api, stack.apiKey, { cookie: `waymark_session=${offered}` });
      expect(victim.answer.status).toBe(200);
      expect(victim.token).toMatch(/^wms_[0-9A-Za-z_-]{43}$/);
      expect(victim.token).not.toBe(offered);
      expect(await outcomeOf(other, `waymark_session=${offered}`)).toBe(ENDED);
      expect(await outcomeOf(other, victim.cookie)).toBe("200");
    }
  });

  it("gives a new token each time, and ends the session that the browser had", async () => {
    const first = await signIn(stack.api, stack.apiKey);
    const second = await signIn(stack.api, stack.apiKey, { cookie: first.cookie });
    const third = await signIn(stack.api, stack.apiKey);
    expect(new Set([first.token, second.token, third.token]).size).toBe(3);
    expect(await outcomeOf(other, first.cookie)).toBe(ENDED);
    expect([await outcomeOf(other, second.cookie), await outcomeOf(other, third.cookie)]).toEqual([
      "200",
      "200",
    ]);
  });

  it.each(["space before", "space behind", "line feed", "CRLF and tabs"])(
    "works with a key as it was pasted: %s",
    async (name) => {
      const pasted = {
        "space before": ` ${stack.apiKey}`,
        "space behind": `${stack.apiKey} `,
        "line feed": `${stack.apiKey}\n`,
        "CRLF and tabs": `\t\r\n${stack.apiKey}\r\n\t`,
      }[name];
      const { answer, cookie } = await signIn(stack.api, pasted ?? "");
      expect(answer.status).toBe(200);
      expect(await outcomeOf(other, cookie)).toBe("200");
    },
  );

  it("refuses a key with white space inside, with the position of the fault and without a cookie", async () => {
    const { apiKey } = stack;
    for (const broken of [`${apiKey.slice(0, 20)} ${apiKey.slice(20)}`, `${apiKey}\n${apiKey}`, "", " \n"]) {
      const { answer, setCookie } = await signIn(stack.api, broken);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('"path":"apiKey"');
      expect(setCookie).toBe("");
    }
    const wrong = await signIn(stack.api, `${apiKey.slice(0, -1)}~`);
    expect([wrong.answer.status, wrong.setCookie]).toEqual([401, ""]);
  });
});

describe("signing out", () => {
  it("works only from the console's own pages: another site's request ends nothing", async () => {
    const { cookie } = await signIn(stack.api, stack.apiKey);
    for (const headers of [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      const answer = await signOut(stack.api, cookie, headers);
      expect(answer.status).toBe(403);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(await outcomeOf(stack.api, cookie)).toBe("200");
    expect((await signOut(stack.api, cookie, { origin: stack.api.baseUrl })).status).toBe(200);
    expect(await outcomeOf(stack.api, cookie)).toBe(ENDED);
  });

  it("without a cookie, or with an unknown one, does nothing and responds the same both times", async () => {
    const http = createHttpClient(stack.api.baseUrl);
    for (const cookie of ["", "waymark_session=junk", `waymark_session=wms_${"a".repeat(43)}`]) {
      for (let times = 0; times < 2; times++) {
        const answer = await http.request("DELETE", "/api/session", { headers: { cookie, ...OWN_PAGE } });
        expect([answer.status, answer.body]).toEqual([200, {}]);
      }
    }
  });

  it("with unknown tokens counts as failed, and is refused if there were too many", async () => {
    await using api = await startApi({
      databaseUrl: stack.databaseUrl,
      env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "5" },
    });
    const { cookie } = await signIn(api, stack.apiKey);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      const madeUp = `wms_${String(n).repeat(43)}`;
      statuses.push((await signOut(api, `waymark_session=${madeUp}`)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await signOut(api, "")).status).toBe(200);
    expect(await outcomeOf(stack.api, cookie)).toBe("200");
  });

  it("ends all sessions whose cookies were sent, although two cookies authenticate nobody", async () => {
    const [one, two] = [await signIn(stack.api, stack.apiKey), await signIn(stack.api, stack.apiKey)];
    expect((await signOut(stack.api, `${one.cookie}; ${two.cookie}`)).status).toBe(200);
    expect([await outcomeOf(other, one.cookie), await outcomeOf(other, two.cookie)]).toEqual([ENDED, ENDED]);
  });
});

it("no session token is in a table, a log or a response, wherever a client puts one", async () => {
  const tokens = [];
  const texts = [];
  for (let n = 0; n < 3; n++) {
    const { token, cookie, answer } = await signIn(stack.api, stack.apiKey);
    tokens.push(token);
    texts.push({ place: "answer to the sign-in", text: answer.text });
    await outcomeOf(stack.api, cookie);
    for (const [path, options] of [
      [`/api/services/${token}`, {}],
      [`/${token}?cookie=${cookie}`, {}],
      [`/api/services?cursor=${token}`, {}],
      ["/api/services", { key: null, headers: { authorization: `Bearer ${token}` } }],
      ["/api/services", { key: null, headers: { authorization: token, cookie, referer: `/${token}` } }],
      ["/api/services", { headers: { cookie: `${cookie}; ${cookie}`, traceparent: token } }],
    ] as const) {
      const sent = await stack.http.get(path, options);
      texts.push({ place: `answer to ${path}`, text: sent.text });
    }
    const created = await stack.http.post("/api/api-keys", {
      name: token,
      ownerPrincipalType: "user",
      scopes: ["services:read"],
    });
    expect(created.status).toBe(400);
    texts.push({ place: "answer to a key's name", text: created.text });
    if (n === 0) await signOut(stack.api, cookie);
  }
  expect(tokens.every((token) => token.startsWith("wms_"))).toBe(true);
  const all = [...(await dumpStack(stack)), ...texts];
  expect(all.find(({ place }) => place === "table public.sessions")?.text).not.toBe("");
  expect(findSecrets(all, [], tokens)).toEqual([]);
  // Checks that the search finds one.
  expect(findSecrets([{ place: "x", text: `a ${tokens[0]} b` }], [], [])).toHaveLength(1);
});
