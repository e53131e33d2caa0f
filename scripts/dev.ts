// `npm start`: everything that Waymark needs on one machine, in the foreground, until Ctrl-C.
import path from "node:path";
import { PRE_RELEASE_EXIT_CODE } from "../packages/shared/src/db/pre-release.ts";
import { root } from "./bootstrap/checkout.mjs";
import { step } from "./bootstrap/progress.mjs";
import { type DevConfig, loadConfig } from "./dev/config.ts";
import { type Database, openDatabase } from "./dev/database.ts";
import { createEnvironments, type Environments } from "./dev/environments.ts";
import { EXAMPLE, submitExample, tryKey } from "./dev/first-scan.ts";
import { addressOf, answersWell, freePortFrom, requirePort } from "./dev/ports.ts";
import { type Credentials, credentialsFile, readCredentials, writeCredentials } from "./dev/private-files.ts";
import { runScript } from "./dev/run-script.ts";
import { onStopSignal } from "./dev/stop-signal.ts";
import { describeEnd, type Service, startService, untilReady } from "./service.ts";

const READY_MS = 60_000;
const stopping = new AbortController();
const services: Service[] = [];
let database: Database | undefined;

onStopSignal({
  first: () => stopping.abort(),
  again: () => services.forEach(({ child }) => child.kill("SIGKILL")),
});

try {
  const config = loadConfig();
  await start(config);
  await untilSomethingEnds();
} catch (error) {
  // What fails while we stop was ended by the same Ctrl-C.
  if (!stopping.signal.aborted) {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
} finally {
  await end();
}

async function start(config: DevConfig): Promise<void> {
  const { host, port, dataFolder } = config;
  await requirePort(config);
  const known = readCredentials(dataFolder);
  database = await openDatabase(config);
  const environments = createEnvironments(config, database.url);

  stopping.signal.throwIfAborted();
  await step("Bringing the database up to date", () => migrateDatabase(config, environments.migrate));
  stopping.signal.throwIfAborted();
  const apiUrl = addressOf(host, port);
  const credentials = { ...(known ?? (await createOrganization(environments.admin))), apiUrl };
  if (known?.apiUrl !== apiUrl) writeCredentials(dataFolder, credentials);

  stopping.signal.throwIfAborted();
  await step("Starting api and worker", () => startServices(config, environments));
  const key = await tryKey(credentials);
  stopping.signal.throwIfAborted();
  const scan =
    key === "unused"
      ? await step(`Scanning ${EXAMPLE.spec}`, () => submitExample(credentials, stopping.signal))
      : "";
  report({ config, credentials, scan, keyRefused: key === "refused" });
}

async function migrateDatabase(
  { databaseUrl, dataFolder }: DevConfig,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  try {
    await runScript("services/api/src/migrate.ts", [], env);
  } catch (error) {
    const isPreRelease = error instanceof Error && error.cause === PRE_RELEASE_EXIT_CODE;
    if (!isPreRelease || databaseUrl !== undefined) throw error;
    throw new Error(
      `The data in ${dataFolder} was made by a pre-release of Waymark and can't be upgraded to this version: ` +
        "move that folder away and start again, which makes a new one.",
      { cause: error },
    );
  }
}

async function createOrganization(env: NodeJS.ProcessEnv): Promise<Omit<Credentials, "apiUrl">> {
  const output = await step("Creating the first organization and its key", () =>
    runScript("services/api/src/admin.ts", ["create-organization", "My organization", "--json"], env),
  );
  return JSON.parse(output);
}

async function startServices(config: DevConfig, environments: Environments): Promise<void> {
  const { host, port, metricsHost, metricsPort, dataFolder } = config;
  const apiMetricsPort = await freePortFrom(metricsPort);
  const workerMetricsPort = await freePortFrom(metricsPort + 1);
  const run = (name: string, env: NodeJS.ProcessEnv) => {
    const service = startService(`services/${name}/src/main.ts`, {
      env: { ...environments.services, NODE_COMPILE_CACHE: compileCache(), ...env },
      logFile: path.join(dataFolder, `${name}.log`),
    });
    services.push(service);
    return service;
  };
  const api = run("api", { HOST: host, PORT: String(port), METRICS_PORT: String(apiMetricsPort) });
  const worker = run("worker", { METRICS_PORT: String(workerMetricsPort) });
  const limits = { timeoutMs: READY_MS, signal: stopping.signal };
  await Promise.all([
    untilReady(api, () => answersWell(`${addressOf(host, port)}/readyz`), limits),
    untilReady(worker, () => answersWell(`${addressOf(metricsHost, workerMetricsPort)}/readyz`), limits),
  ]);
}

/** Compiled code is kept between starts: it saves each process about 0.2 s. */
function compileCache(): string {
  return process.env["NODE_COMPILE_CACHE"] ?? path.join(root, "node_modules/.cache/node-compile");
}

function report(facts: {
  config: DevConfig;
  credentials: Credentials;
  scan: string;
  keyRefused: boolean;
}): void {
  const { apiUrl, organizationId, apiKey } = facts.credentials;
  const { dataFolder } = facts.config;
  const file = (name: string) => {
    const relative = path.relative(process.cwd(), name);
    return relative.startsWith("..") ? name : relative;
  };
  if (facts.scan !== "") console.log(facts.scan.replace(/^(?=.)/gm, "    "));
  console.log(`
Waymark is running.

  Console       ${apiUrl}
  Organization  ${organizationId}
  API key       ${apiKey}
                (kept in ${file(credentialsFile(dataFolder))}, for your eyes only)

Try next, in another terminal:

  npx waymark scan --service orders --spec examples/orders.openapi.json \\
    --api-key ${apiKey} --api-url ${apiUrl}

Logs are in ${file(path.join(dataFolder, "api.log"))} and ${file(path.join(dataFolder, "worker.log"))}. Ctrl-C stops everything.
`);
  if (facts.keyRefused) {
    console.error(
      `This database does not accept the key in ${file(credentialsFile(dataFolder))}: it was revoked, or belongs to another\n` +
        "database. Remove the file, and the next start makes a new organization and key.",
    );
  }
}

async function untilSomethingEnds(): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    if (stopping.signal.aborted) resolve();
    stopping.signal.addEventListener("abort", () => resolve());
  });
  const died = services.map(async (service) => {
    await service.ended;
    if (!stopping.signal.aborted) throw new Error(await describeEnd(service));
  });
  await Promise.race([stopped, ...died, ...(database === undefined ? [] : [database.lost])]);
}

async function end(): Promise<void> {
  stopping.abort();
  if (services.length > 0) console.error("\nStopping …");
  for (const stopped of await Promise.allSettled(services.map((service) => service.stop()))) {
    if (stopped.status === "rejected") console.error(String(stopped.reason));
  }
  await database?.stop();
  if (services.length > 0) console.error("Stopped. Nothing is left running.");
  // The database's watch and the signal handlers would keep the process.
  process.exit();
}
