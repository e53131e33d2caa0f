// `npm start`: everything that Waymark needs on one machine, in the foreground, until Ctrl-C.
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./bootstrap/checkout.mjs";
import { step } from "./bootstrap/progress.mjs";
import { type DevConfig, loadConfig, parseCommandLine, USAGE } from "./dev/config.ts";
import { type Database, openDatabase } from "./dev/database.ts";
import { claimDemoFolder } from "./dev/demo/folder.ts";
import { removeDemo } from "./dev/demo/remove.ts";
import { demoState, seedDemo } from "./dev/demo/seed.ts";
import { createEnvironments, type Environments, withoutSecrets } from "./dev/environments.ts";
import {
  EXAMPLE_JOURNEY,
  EXAMPLE_SCAN,
  exampleCommands,
  followExampleApi,
  runExampleJourney,
  submitExample,
  tryKey,
} from "./dev/examples.ts";
import { addressOf, isReady, requirePort, responds } from "./dev/ports.ts";
import { type Credentials, credentialsFile, readCredentials, writeCredentials } from "./dev/private-files.ts";
import { runScript } from "./dev/run-script.ts";
import { onStopSignal } from "./dev/stop-signal.ts";
import { findFreePort } from "./postgres/free-port.ts";
import { describeEnd, type Service, startService, untilReady } from "./service.ts";

const READY_MS = 60_000;
const SIGNAL_MS = 100;
const DEMO = `This is the demo organization: a shop with a history. Your own one is not touched. To delete the demo:

  npm start -- --remove-demo`;
const NO_DEMO = `An organization with a history to click through, in a database of its own. Stop this one first:

  npm start -- --demo`;
const stopping = new AbortController();
const services: Service[] = [];
let database: Database | undefined;

onStopSignal({
  first: () => stopping.abort(),
  again: () => services.forEach(({ child }) => child.kill("SIGKILL")),
});

try {
  const { demo, removeDemo: isRemoval, yes, help } = parseCommandLine(process.argv.slice(2));
  const config = loadConfig({ isDemo: demo || isRemoval });
  if (help) console.log(USAGE);
  else if (isRemoval) await removeDemo(config.dataFolder, { isAgreed: yes });
  else await serve(config);
} catch (error) {
  // A Ctrl-C reaches the scripts that it runs too. Their failure can be known before its own signal.
  await sleep(SIGNAL_MS);
  // Failures while stopping are caused by the same Ctrl-C.
  if (!stopping.signal.aborted) {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
} finally {
  await end();
}

async function serve(config: DevConfig): Promise<void> {
  await requirePort(config);
  if (config.isDemo) claimDemoFolder(config.dataFolder);
  const known = readCredentials(config.dataFolder);
  database = await openDatabase(config);
  await start(config, known, createEnvironments(config, database.url));
  await untilSomethingEnds(database.lost);
}

async function start(
  config: DevConfig,
  known: Credentials | undefined,
  environments: Environments,
): Promise<void> {
  const { host, port, dataFolder } = config;
  stopping.signal.throwIfAborted();
  await step("Bringing the database up to date", () => migrateDatabase(config, environments.migrate));
  stopping.signal.throwIfAborted();
  const apiUrl = addressOf(host, port);
  const credentials = {
    ...(known ?? (await createOrganization(environments.admin, config.isDemo ? "Demo" : "My organization"))),
    apiUrl,
  };
  if (known?.apiUrl !== apiUrl) writeCredentials(dataFolder, credentials);

  stopping.signal.throwIfAborted();
  const exampleUrl = await step("Starting api and worker", () => startServices(config, environments));
  const key = await tryKey(credentials);
  stopping.signal.throwIfAborted();
  if (config.isDemo && key !== "refused") await makeDemo(config, credentials, exampleUrl);
  else if (key === "unused") await tryExamples(credentials, exampleUrl);
  const { signal } = stopping;
  if (key === "accepted") await followExampleApi(credentials, { url: exampleUrl, signal });
  report(config, credentials, exampleUrl);
  if (key === "refused") {
    console.error(
      `This database does not accept the key in ${path.relative("", credentialsFile(dataFolder))}: it was revoked, or belongs to another\n` +
        "database. Remove the file, and the next start makes a new organization and key.",
    );
  }
}

/** @throws Error if an earlier start was interrupted before it had made all of it */
async function makeDemo(config: DevConfig, credentials: Credentials, exampleUrl: string): Promise<void> {
  const state = await demoState(credentials, config);
  if (state === "partial")
    throw new Error(
      "An earlier start was stopped before the demo organization was complete. Remove it, and start it again:\n" +
        "  npm start -- --remove-demo",
    );
  if (state === "whole") return;
  await seedDemo(credentials, { dataFolder: config.dataFolder, exampleUrl, signal: stopping.signal });
}

/** The scan comes last: a first start that was interrupted before is repeated. */
async function tryExamples(credentials: Credentials, url: string): Promise<void> {
  const { signal } = stopping;
  // Between the steps, which are told on standard error.
  const show = (lines: string) => process.stderr.write(`${lines.trimEnd().replace(/^(?=.)/gm, "    ")}\n`);
  const run = () => runExampleJourney(credentials, { url, signal });
  show(await step(`Running ${EXAMPLE_JOURNEY.journey} on the server`, run));
  show(await step(`Scanning ${EXAMPLE_SCAN.spec}`, () => submitExample(credentials, signal)));
}

async function migrateDatabase(config: DevConfig, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await runScript("services/api/src/migrate.ts", [], { env });
  } catch (error) {
    if (!(error instanceof Error) || config.databaseUrl !== undefined) throw error;
    const way = `The database is in ${config.dataFolder}: to begin with an empty one, move that folder away.`;
    throw new Error(`${error.message}\n${way}`, { cause: error });
  }
}

async function createOrganization(
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<Omit<Credentials, "apiUrl">> {
  const output = await step("Creating the first organization and its key", () =>
    runScript("services/api/src/admin.ts", ["create-organization", name, "--json"], { env }),
  );
  return JSON.parse(output);
}

/** @returns where the example API listens */
async function startServices(config: DevConfig, environments: Environments): Promise<string> {
  const { host, port, metricsHost, metricsPort } = config;
  // Compiled code is kept between starts: it saves each process about 0.2 s.
  const cache = process.env["NODE_COMPILE_CACHE"] ?? path.join(root, "node_modules/.cache/node-compile");
  const run = (name: string, address: string, env: NodeJS.ProcessEnv) => {
    const all = { ...environments.services, NODE_COMPILE_CACHE: cache, ...env };
    const service = { script: `services/${name}/src/main.ts`, logName: name, env: all };
    return startOne(config, service, () => isReady(address));
  };
  const apiMetrics = String(await findFreePort(metricsPort));
  const workerMetrics = await findFreePort(metricsPort + 1);
  const examplePort = await findFreePort(config.examplePort);
  const exampleUrl = `http://127.0.0.1:${examplePort}`;
  const allowed = [process.env["JOURNEY_EGRESS_ALLOW"], `127.0.0.1:${examplePort}`].filter(Boolean).join(",");
  await Promise.all([
    run("api", addressOf(host, port), { HOST: host, PORT: String(port), METRICS_PORT: apiMetrics }),
    run("worker", addressOf(metricsHost, workerMetrics), {
      METRICS_PORT: String(workerMetrics),
      PORT: String(port),
      JOURNEY_EGRESS_ALLOW: allowed,
    }),
    startOne(
      config,
      {
        script: EXAMPLE_JOURNEY.server,
        args: [String(examplePort)],
        logName: "example-api",
        env: withoutSecrets(process.env),
      },
      () => responds(exampleUrl),
    ),
  ]);
  return exampleUrl;
}

async function startOne(
  { dataFolder }: DevConfig,
  one: { script: string; args?: string[]; logName: string; env: NodeJS.ProcessEnv },
  isUp: () => Promise<boolean>,
): Promise<void> {
  const { script, args = [], logName, env } = one;
  const service = startService(script, { args, env, logFile: path.join(dataFolder, `${logName}.log`) });
  services.push(service);
  await untilReady(service, isUp, { timeoutMs: READY_MS, signal: stopping.signal });
}

function report(
  { dataFolder, isDemo }: DevConfig,
  { apiUrl, organizationId, apiKey }: Credentials,
  exampleUrl: string,
): void {
  const { local, cloud } = exampleCommands(exampleUrl);
  console.log(`
Waymark is running.

  Console       ${apiUrl}
  Organization  ${organizationId}
  API key       ${apiKey}
                (kept in ${path.relative("", credentialsFile(dataFolder))}, which only you can read)
  Example API   ${exampleUrl}

Try next, in another terminal:

  export SERVICE_API_URL=${apiUrl} SERVICE_API_KEY=${apiKey}
  npx waymark scan --service orders --spec examples/orders.openapi.json

A journey on this machine, and its variant on the server:

  ${local}
  ${cloud}

${isDemo ? DEMO : NO_DEMO}

Logs are in ${path.relative("", path.join(dataFolder, "api.log"))} and ${path.relative("", path.join(dataFolder, "worker.log"))}. Ctrl-C stops everything.
`);
}

async function untilSomethingEnds(lost: Promise<void>): Promise<void> {
  stopping.signal.throwIfAborted();
  const died = services.map(async (service) => {
    await service.ended;
    if (!stopping.signal.aborted) throw new Error(await describeEnd(service));
  });
  await Promise.race([once(stopping.signal, "abort"), lost, ...died]);
}

async function end(): Promise<void> {
  stopping.abort();
  if (services.length > 0) console.error("\nStopping …");
  for (const stopped of await Promise.allSettled(services.map((service) => service.stop()))) {
    if (stopped.status === "rejected") console.error(String(stopped.reason));
  }
  await database?.stop();
  if (services.length > 0) console.error("Stopped. Nothing is left running.");
  // The database's connection and the signal handlers would keep the process.
  process.exit();
}
