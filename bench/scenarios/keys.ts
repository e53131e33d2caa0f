import { createKey } from "@waymark/test-support/keys.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createOrganization } from "@waymark/test-support/stack.ts";
import { startBaseline } from "../support/baseline.ts";
import { installPeer } from "../support/peers.ts";
import { figuresOf, ratios, runRounds } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { TARGETS } from "../support/targets.ts";

const CONCURRENCY = 16;
const KEYS = 100;
const CHECKS = { waymark: 8_000, betterAuth: 800 };
/** Exchanges of builds' tokens, and checks of the keys that they give, one after the other. */
const SINGLE = { exchanges: 100, checks: 400 };

/** How many keys are checked in a second, in a process that does nothing else. */
// oxlint-disable-next-line max-lines-per-function -- one measurement, in order
export const measureKeys: Scenario = async (environment, { rounds }) => {
  const databaseUrl = await environment.createDatabase("keys", "waymark");
  const { organizationId } = await createOrganization(databaseUrl);
  const keys: string[] = [];
  for (let n = 0; n < KEYS; n++) {
    keys.push(
      await createKey({ databaseUrl, organizationId }, [
        "scans:create",
        "services:update",
        "endpoints:write",
      ]),
    );
  }
  const waymark = await startBaseline(environment, "subjects/check-key.ts", {
    DATABASE_URL: serviceUrl(databaseUrl),
  });
  const betterAuthUrl = await environment.createDatabase("better_auth", "empty");
  const betterAuth = await startBaseline(environment, "baselines/better-auth.mjs", {
    DATABASE_URL: betterAuthUrl,
    PEER: await installPeer("better-auth"),
  });
  await betterAuth.process.call("createKeys", KEYS);

  const exchange = await startBaseline(environment, "subjects/exchange-token.ts", {
    DATABASE_URL: serviceUrl(databaseUrl),
  });
  await exchange.process.call("createPolicy", organizationId);

  const rate = async (ms: Promise<number>, count: number) => ({ perSecond: (count / (await ms)) * 1000 });
  process.stderr.write("  keys:");
  const samples = await runRounds(
    [
      {
        name: "waymark",
        measure: () =>
          rate(
            waymark.process.call("check", { keys, concurrency: CONCURRENCY, count: CHECKS.waymark }),
            CHECKS.waymark,
          ),
      },
      {
        name: "better-auth",
        measure: () =>
          rate(
            betterAuth.process.call("check", { concurrency: CONCURRENCY, count: CHECKS.betterAuth }),
            CHECKS.betterAuth,
          ),
      },
    ],
    rounds,
  );
  const single = await runRounds(
    [
      {
        name: "token exchange",
        measure: async () => ({ p50: await exchange.process.call<number>("exchange", SINGLE.exchanges) }),
      },
      {
        name: "one key check",
        measure: async () => ({ p50: await exchange.process.call<number>("check", SINGLE.checks) }),
      },
    ],
    rounds,
  );
  return {
    scenario: "keys",
    figures: [...figuresOf(samples, [["perSecond", "1/s"]]), ...figuresOf(single, [["p50", "ms"]])],
    findings: [
      { target: TARGETS.keyChecks, values: ratios(samples, "perSecond", "waymark", "better-auth") },
      {
        target: TARGETS.tokenExchange,
        values: ratios(single, "p50", "token exchange", "one key check"),
        isShown: true,
      },
    ],
  };
};
