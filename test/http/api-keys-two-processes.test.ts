import { afterAll, beforeAll, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createManyKeys } from "@waymark/test-support/many-keys.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";

const KEYS = scaled({ short: 100, long: 1_000 });
const AT_ONCE = 8;

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Uses a key on the second process continuously, one request after the other, until it is stopped. */
function keepUsing(rawKey: string) {
  const revoked = new AbortController();
  const stopped = new AbortController();
  const seen = { before: 0, after: 0, letInAfter: 0 };
  const done = (async () => {
    while (!stopped.signal.aborted) {
      const startedAfter = revoked.signal.aborted;
      const { status } = await stack.other.get("/api/limits", { key: rawKey });
      if (!startedAfter) seen.before++;
      else seen.after++;
      if (startedAfter && status !== 401) seen.letInAfter++;
    }
    return seen;
  })();
  return {
    markRevoked: () => revoked.abort(),
    stop: () => {
      stopped.abort();
      return done;
    },
  };
}

async function revokeInUse(key: { id: string; rawKey: string }) {
  const first = await stack.other.get("/api/limits", { key: key.rawKey });
  const use = keepUsing(key.rawKey);
  const revoked = await stack.http.post(`/api/api-keys/${key.id}/revoke`);
  use.markRevoked();
  const next = errorOf(await stack.other.get("/api/limits", { key: key.rawKey }));
  return { first: first.status, revoked: revoked.status, next: next.code, ...(await use.stop()) };
}

it(`a key revoked through one api is refused by the other on the next request, ${KEYS} times of ${KEYS}`, async () => {
  const keys = await createManyKeys(stack, KEYS);
  const outcomes: Awaited<ReturnType<typeof revokeInUse>>[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let key = keys.pop(); key !== undefined; key = keys.pop()) outcomes.push(await revokeInUse(key));
    }),
  );

  expect(outcomes.filter((outcome) => outcome.first === 200 && outcome.revoked === 200)).toHaveLength(KEYS);
  expect(outcomes.filter((outcome) => outcome.next === "api_key_revoked")).toHaveLength(KEYS);
  // Every key was in use while it was revoked, and none of the later requests succeeded.
  expect(outcomes.filter((outcome) => outcome.before > 0)).toHaveLength(KEYS);
  expect(outcomes.reduce((sum, outcome) => sum + outcome.letInAfter, 0)).toBe(0);
}, 240_000);
