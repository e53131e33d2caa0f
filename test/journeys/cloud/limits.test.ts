import { expect, it } from "vitest";
import { startJourneyTarget, thingsJourney } from "@waymark/test-support/journey-target.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { recordFigures } from "../../faults/support/figures.ts";
import { startJourneyStack } from "./support/journey-stack.ts";

const WAITING = scaled({ short: 20, long: 1_000 });
/** With a process that has to be started. The short form runs on a machine that does other things as well. */
const DELAY_MS_MAX = scaled({ short: 90_000, long: 2_000 });

it(
  `runs ten journeys of an organization at a time in two workers, and another organization's beside ${WAITING} that wait`,
  { timeout: 600_000 },
  async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
    const busy = await stack.addJourney(thingsJourney(), { server: target.url });
    const other = await stack.addJourney(thingsJourney(), {
      server: target.url,
      organizationId: await stack.addOrganization(),
    });
    const create = target.hold("create");
    const waiting = await Promise.all(Array.from({ length: WAITING }, () => busy()));
    await Promise.all([stack.startWorker(), stack.startWorker()]);
    await expect.poll(() => target.concurrencyMax, { timeout: 120_000 }).toBe(10);
    const asked = performance.now();
    const runId = await other();
    await expect
      .poll(() => target.requests.find(({ run }) => run === runId)?.at, {
        timeout: DELAY_MS_MAX,
        interval: 20,
      })
      .toBeDefined();
    const began = target.requests.find(({ run }) => run === runId)?.at ?? Number.NaN;
    expect(began - asked).toBeLessThan(DELAY_MS_MAX);
    create.release();
    for (const id of [runId, ...waiting])
      expect(await stack.ended(id, { timeoutMs: 300_000 })).toMatchObject({ status: "passed" });
    // Ten of one organization, and the other one.
    expect(target.concurrencyMax).toBeLessThanOrEqual(11);
    recordFigures("Journeys of one organization beside another's", {
      "runs that wait": WAITING,
      "another organization's first request after (ms)": Math.round(began - asked),
      "requests of the organization at a time, at most": 10,
    });
  },
);
