import { setTimeout as sleep } from "node:timers/promises";
import { runExampleJourney } from "../../../../scripts/dev/examples.ts";
import { ROUTE_CASES } from "@waymark/test-support/key-suite/route-cases.ts";
import { type Check, mustBe, mustMatch } from "../check.ts";
import { type Fleet, POOLED } from "../fleet.ts";
import { createRouteWorld } from "../route-world.ts";
import { docker } from "../run.ts";
import { sendScans, untilCompleted } from "../scans.ts";

const SCANS = 100;
const JOURNEY_MS_MAX = 120_000;
const READY_MS_MAX = 60_000;
/** The key of the other requests would be revoked by it. */
const NEEDS_ITS_OWN_KEY = "revokeOwnApiKey";
/** A provider is added only after its issuer was read, and the fleet reaches none. */
const NEEDS_A_PROVIDER = new Set(["updateIdentityProvider", "deleteIdentityProvider"]);

/** Only the author of a comment may do these, and here the key that tries them is the author. */
const OF_THE_AUTHOR: Readonly<Record<string, number>> = {
  deleteFindingComment: 204,
  updateScanRunComment: 200,
};

export const pooler: Check = {
  title: "A pooler",
  what: "Api and worker reach Postgres through PgBouncer in transaction mode. With prepared statements every request of the interface, a journey on the server and scans work, also when the pooler is killed meanwhile. Without them, processes are not ready and migrate refuses, and both say why.",
  async run(fleet) {
    await fleet.compose(["up", "--detach", "pooler"]);
    const limits = "ALTER ROLE waymark_service SET statement_timeout = '30s'";
    await fleet.sql(limits);
    await fleet.up({ files: [POOLED] });
    const journey = await runJourney(fleet);
    const requests = await sendEveryRequest(fleet);
    const killed = await killMeanwhile(fleet);
    const refusals = await setUpWrongly(fleet);
    await fleet.up();
    return { "requests that worked": requests, "a journey on the server": journey, ...killed, ...refusals };
  },
};

async function runJourney(fleet: Fleet): Promise<string> {
  await fleet.compose(["up", "--detach", "target"]);
  const signal = AbortSignal.timeout(JOURNEY_MS_MAX);
  const { baseUrl: apiUrl, apiKey, organizationId } = fleet;
  const output = await runExampleJourney(
    { apiUrl, apiKey, organizationId },
    { url: "http://target:8077", signal },
  );
  mustMatch("the journey's result", output, /passed/);
  return "passed";
}

/** Every request of the interface that needs a key, each in the form that must succeed. */
async function sendEveryRequest(fleet: Fleet): Promise<number> {
  const world = await createRouteWorld(fleet);
  const cases = Object.entries(ROUTE_CASES).filter(([operation]) => !NEEDS_A_PROVIDER.has(operation));
  for (const [operation, route] of cases) {
    const { method, path, ...options } = await route.request(world);
    const key = operation === NEEDS_ITS_OWN_KEY ? await world.anotherRawKey() : fleet.apiKey;
    const { status, text } = await fleet.http.request(method, path, { ...options, key });
    mustBe(`${operation} (${text.slice(0, 300)})`, status, OF_THE_AUTHOR[operation] ?? route.success);
  }
  return cases.length;
}

async function killMeanwhile(fleet: Fleet): Promise<Record<string, number>> {
  const sending = sendScans(fleet, SCANS);
  await sleep(500);
  const [container = ""] = await fleet.containersOf("pooler");
  await docker("exec", container, "sh", "-c", "kill -9 -1").catch(() => undefined);
  await docker("restart", "--time", "0", container);
  const sent = await sending;
  const { completed } = await untilCompleted(fleet, sent);
  mustBe("scans completed although the pooler was killed", completed, SCANS);
  return { "scans sent while it is killed": SCANS, "of those completed": completed };
}

async function setUpWrongly(fleet: Fleet): Promise<Record<string, string>> {
  const env = { MAX_PREPARED_STATEMENTS: "0" };
  await fleet.compose(["up", "--detach", "--no-deps", "pooler"], { env });
  await sleep(3_000);
  const words: Record<string, string> = {};
  for (const service of ["api", "worker"]) {
    const [container = ""] = await fleet.containersOf(service);
    await docker("restart", container);
    const said = await readinessOf(container);
    mustMatch(`/readyz of the ${service}`, said, /^503 .*does not support prepared statements.* Fix: /);
    words[`wrongly set up, the ${service}`] = "503 with what to do";
  }
  mustMatch("what migrate says", await migrateThroughPooler(fleet), /pooler in transaction mode.* Fix: /);
  return { ...words, "wrongly set up, migrate": "refused with what to do" };
}

/** Once the process has looked at its database, which takes a while on a busy machine. */
async function readinessOf(container: string): Promise<string> {
  const request =
    "const r = await fetch('http://127.0.0.1:9464/readyz'); console.log(r.status, await r.text())";
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    const ask = docker("exec", container, "node", "--input-type=module", "--eval", request);
    const said = await ask.catch(String);
    if (said.includes('"database"') || Date.now() > deadline) return said;
    await sleep(1_000);
  }
}

async function migrateThroughPooler(fleet: Fleet): Promise<string> {
  const script =
    "export DATABASE_URL=$(sed s/postgres:5432/pooler:6432/ $DATABASE_URL_FILE); unset DATABASE_URL_FILE; " +
    "node services/api/src/migrate.ts 2>&1 || true";
  return fleet.compose(["run", "--rm", "migrate", "sh", "-c", script]);
}
