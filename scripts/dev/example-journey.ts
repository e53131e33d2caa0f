import type { Credentials } from "./private-files.ts";
import { requestApi, runWaymark } from "./waymark.ts";

/** An API of notes, its journey with a variant, and what the service needs to run them. */
export const EXAMPLE_JOURNEY = {
  server: "examples/journeys/server.mjs",
  /** Where its description says that it is. */
  port: 8077,
  service: "notes",
  spec: "examples/journeys/notes.openapi.yaml",
  journey: "examples/journeys/notes.journey.yaml",
  variant: "examples/journeys/notes.gone.overlay.yaml",
  environment: "local",
  source: "notes",
  secret: { name: "NOTES_TOKEN", value: "let-me-in" },
} as const;

interface Environment {
  id: string;
  revision: number;
  createdAt: string;
  updatedAt: string;
  servers: Record<string, string>;
  allowedHosts: string[];
}

/**
 * Stores the journey and its environment in the service, and runs it there once, so that there is something to see.
 *
 * @returns the line that tells how it ended
 */
export async function runExampleJourney(
  credentials: Credentials,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<string> {
  const { service, spec, journey, variant, environment } = EXAMPLE_JOURNEY;
  const waymark = (...args: string[]) => runWaymark(credentials, args, { signal, env: { CI: "true" } });
  const scanAndPush = async () => {
    // The scan first: the pushed description then belongs to its service.
    await waymark("scan", "--service", service, "--spec", spec, "--wait", "--wait-timeout", "20");
    await waymark("journey", "push", journey, variant, "--message", "The example of npm start");
  };
  await Promise.all([scanAndPush(), createEnvironment(credentials, url)]);
  return waymark("journey", "run", "--cloud", "--env", environment, journey);
}

async function createEnvironment(credentials: Credentials, url: string): Promise<void> {
  const { environment: name, source } = EXAMPLE_JOURNEY;
  // There is one if the first start was interrupted.
  const found = await findEnvironment(credentials);
  if (found === undefined) {
    const body = { name, servers: { [source]: url } };
    const response = await requestApi(credentials, "POST /api/environments", { body });
    const { id }: Environment = JSON.parse(await response.text());
    return setSecret(credentials, id, url);
  }
  await setServer(credentials, found, url);
  await setSecret(credentials, found.id, url);
}

/** Leads the environment to where the example API listens now, unless somebody removed it or gave it another server. */
export async function followExampleApi(credentials: Credentials, url: string): Promise<void> {
  const found = await findEnvironment(credentials);
  const before = found?.servers[EXAMPLE_JOURNEY.source] ?? "";
  if (found === undefined || before === url || !/^http:\/\/127\.0\.0\.1:\d+$/.test(before)) return;
  await setServer(credentials, found, url);
  await setSecret(credentials, found.id, url);
}

async function findEnvironment(credentials: Credentials): Promise<Environment | undefined> {
  const path = `/api/environments?name=${EXAMPLE_JOURNEY.environment}`;
  const response = await requestApi(credentials, `GET ${path}`);
  const { environments }: { environments: Environment[] } = JSON.parse(await response.text());
  return environments[0];
}

async function setServer(credentials: Credentials, found: Environment, url: string): Promise<void> {
  const { id, revision, createdAt: _, updatedAt: __, ...settings } = found;
  const { source } = EXAMPLE_JOURNEY;
  const before = settings.servers[source] ?? url;
  await requestApi(credentials, `PUT /api/environments/${id}`, {
    headers: { "if-match": `"${revision}"` },
    body: {
      ...settings,
      servers: { ...settings.servers, [source]: url },
      allowedHosts: settings.allowedHosts.map((host) => (host === hostOf(before) ? hostOf(url) : host)),
    },
  });
}

async function setSecret(credentials: Credentials, environmentId: string, url: string): Promise<void> {
  const { name, value } = EXAMPLE_JOURNEY.secret;
  await requestApi(credentials, `PUT /api/environments/${environmentId}/secrets/${name}`, {
    body: { value, hosts: [hostOf(url)] },
  });
}

function hostOf(url: string): string {
  return new URL(url).host;
}

/** The commands that run the journey on this machine and its variant in the service. */
export function exampleCommands(url: string): { local: string; cloud: string } {
  const { journey, variant, environment, port, source, secret } = EXAMPLE_JOURNEY;
  const server = url.endsWith(`:${port}`) ? "" : ` --server ${source}=${url}`;
  return {
    local: `${secret.name}=${secret.value} npx waymark journey run ${journey}${server}`,
    cloud: `npx waymark journey run --cloud --env ${environment} ${variant}`,
  };
}
