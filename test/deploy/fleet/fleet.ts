import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import type { Images } from "./images.ts";
import { docker, run, succeeds } from "./run.ts";

const PROJECT = "waymark-deploy-test";
const FILES = ["deploy/compose.yaml", "test/deploy/fleet/compose.yaml"];
export const POOLED = "test/deploy/fleet/compose.pooler.yaml";
const HEALTHY_MS = 120_000;

/** The compose file's services on a Docker engine, with an organization. */
export interface Fleet extends AsyncDisposable {
  images: Images;
  baseUrl: string;
  apiKey: string;
  organizationId: string;
  http: HttpClient;
  /** Runs compose on the files of the fleet and these; see `POOLED`. */
  compose(args: readonly string[], options?: ComposeOptions): Promise<string>;
  /** Starts what is not running, two of each service, and waits until all are healthy. */
  up(options?: ComposeOptions): Promise<void>;
  containersOf(service: string): Promise<string[]>;
  untilHealthy(service: string): Promise<void>;
  /** The rows of a statement in the database, columns separated by `|`. */
  sql(statement: string): Promise<string>;
}

export interface ComposeOptions {
  files?: readonly string[];
  env?: Record<string, string>;
}

export async function startFleet(images: Images): Promise<Fleet> {
  const port = await findFreePort();
  const secrets = await makeSecrets();
  const settings: Record<string, string> = {
    ...images.env,
    COMPOSE_PROJECT_NAME: PROJECT,
    WAYMARK_PORT: String(port),
    WAYMARK_SECRETS: secrets,
    // The API that the checks' journey tests is in a network of Docker's.
    JOURNEY_EGRESS_ALLOW: "172.16.0.0/12:8077,192.168.0.0/16:8077",
  };
  const [program = "", ...first] = await composeCommand();
  const compose: Fleet["compose"] = (args, { files = [], env = {} } = {}) => {
    const named = [...FILES, ...files].flatMap((file) => ["--file", file]);
    return run(program, [...first, ...named, ...args], { ...settings, ...env });
  };
  const containersOf: Fleet["containersOf"] = async (service) =>
    (await compose(["ps", "--quiet", service])).split("\n").filter(Boolean);
  const untilHealthy = async (service: string) => untilAllHealthy(await containersOf(service));
  const up: Fleet["up"] = async (options) => {
    const services = ["postgres", "redis", "migrate", "load-balancer", "api", "worker"];
    await compose(["up", "--detach", "--scale", "api=2", "--scale", "worker=2", ...services], options);
    for (const service of ["api", "worker"]) await untilHealthy(service);
    await untilRouted(`http://127.0.0.1:${port}`);
  };
  const removeContainers = () => compose(["down", "--volumes", "--remove-orphans", "--timeout", "5"]);
  const down = async () => {
    await removeContainers();
    rmSync(secrets, { recursive: true });
  };
  try {
    await removeContainers();
    await up();
    const created = await compose(["run", "--rm", "admin", "create-organization", "Deployment", "--json"]);
    const { organizationId, apiKey } = JSON.parse(created.split("\n").at(-1) ?? "") as Record<string, string>;
    if (organizationId === undefined || apiKey === undefined) throw new Error(`no organization: ${created}`);
    const baseUrl = `http://127.0.0.1:${port}`;
    return {
      images,
      baseUrl,
      apiKey,
      organizationId,
      compose,
      up,
      containersOf,
      untilHealthy,
      http: createHttpClient(baseUrl, { key: apiKey }),
      sql: (statement) => {
        const psql = ["psql", "--username", "waymark", "--no-align", "--tuples-only", "--command", statement];
        return compose(["exec", "-T", "postgres", ...psql]);
      },
      [Symbol.asyncDispose]: down,
    };
  } catch (error) {
    const logs = await compose(["logs", "--tail", "15", "migrate", "api", "worker"]).catch(String);
    await down();
    throw new Error(`The fleet did not start:\n${logs}`, { cause: error });
  }
}

/** In a folder of their own, with the address of Postgres behind the pooler. */
async function makeSecrets(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-secrets-"));
  await run("deploy/make-secrets.sh", [folder]);
  const url = readFileSync(path.join(folder, "service_database_url"), "utf8");
  writeFileSync(path.join(folder, "pooled_database_url"), url.replace("postgres:5432", "pooler:6432"));
  return folder;
}

/** Compose is a plugin of newer Dockers, and a program of its own of Debian's. */
async function composeCommand(): Promise<string[]> {
  return (await succeeds("docker", ["compose", "version"])) ? ["docker", "compose"] : ["docker-compose"];
}

async function untilAllHealthy(containers: readonly string[]): Promise<void> {
  const deadline = Date.now() + HEALTHY_MS;
  for (;;) {
    const states = await docker("inspect", "--format", "{{.State.Health.Status}}", ...containers);
    if (states.split("\n").every((state) => state === "healthy")) return;
    if (Date.now() > deadline) throw new Error(`After ${HEALTHY_MS} ms, containers are: ${states}`);
    await sleep(500);
  }
}

/** The load balancer looks for new addresses and checks them itself. */
async function untilRouted(baseUrl: string): Promise<void> {
  const deadline = Date.now() + HEALTHY_MS;
  for (;;) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    if (Date.now() > deadline) throw new Error(`${baseUrl} has no api behind it after ${HEALTHY_MS} ms`);
    await sleep(250);
  }
}
