// Creates the examples that `npm start` shows in a new organization, with the real command: a scan, and a journey that
// the cloud runner has run.
import { withoutSecrets } from "./environments.ts";
import type { Credentials } from "./private-files.ts";
import { runScript } from "./run-script.ts";

export const EXAMPLE_SCAN = { service: "bookshop", spec: "examples/bookshop.openapi.yaml" };

/** An API of notes, its journey with a variant, and what the cloud runner needs to run them. */
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

/** Whether the api accepts the key, and whether its organization lacks the last of the examples. */
export async function tryKey(credentials: Credentials): Promise<"accepted" | "refused" | "unused"> {
  const response = await get(credentials, "/api/services?limit=2");
  if (response.status === 401 || response.status === 403) return "refused";
  const { services } = await readJson<{ services: { name: string }[] }>(response);
  // A first start that was interrupted after the example journey's scan is repeated.
  return services.every(({ name }) => name === EXAMPLE_JOURNEY.service) ? "unused" : "accepted";
}

/**
 * Submits the example, and waits until it is completed.
 *
 * @returns the command's lines
 */
export function submitExample(credentials: Credentials, signal: AbortSignal): Promise<string> {
  return scan(credentials, EXAMPLE_SCAN, { signal, options: ["--lint"] });
}

/**
 * Stores the journey and its environment on the server, and runs it there once.
 *
 * @returns the line that tells how it ended
 */
export async function runExampleJourney(
  credentials: Credentials,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<string> {
  const { journey, variant, environment } = EXAMPLE_JOURNEY;
  const runWaymark = (...args: string[]) => waymark(credentials, args, { signal });
  const scanAndPush = async () => {
    // The scan first: the pushed description then belongs to its service.
    await scan(credentials, EXAMPLE_JOURNEY, { signal });
    await runWaymark("journey", "push", journey, variant, "--message", "The example of npm start");
  };
  const hosts = [new URL(url).host];
  await Promise.all([scanAndPush(), setEnvironment(credentials, { url, hosts, signal })]);
  return runWaymark("journey", "run", "--cloud", "--env", environment, journey);
}

/** Leads the environment to where the example API listens now, unless somebody removed it or gave it another server. */
export async function followExampleApi(
  credentials: Credentials,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<void> {
  const { environment, source } = EXAMPLE_JOURNEY;
  const response = await get(credentials, `/api/environments?name=${environment}`);
  interface Found {
    environments: { servers: Record<string, string>; allowedHosts: string[] }[];
  }
  const [found] = (await readJson<Found>(response)).environments;
  const before = found?.servers[source] ?? "";
  if (found === undefined || before === url || !/^http:\/\/127\.0\.0\.1:\d+$/.test(before)) return;
  const hosts = found.allowedHosts.map((host) => (host === new URL(before).host ? new URL(url).host : host));
  await setEnvironment(credentials, { url, hosts, signal });
}

/** The commands that run the journey on this machine, and its variant on the server. */
export function exampleCommands(url: string): { local: string; cloud: string } {
  const { journey, variant, environment, port, source, secret } = EXAMPLE_JOURNEY;
  const server = url.endsWith(`:${port}`) ? "" : ` --server ${source}=${url}`;
  return {
    local: `${secret.name}=${secret.value} npx waymark journey run ${journey}${server}`,
    cloud: `npx waymark journey run --cloud --env ${environment} ${variant}`,
  };
}

async function setEnvironment(
  credentials: Credentials,
  { url, hosts, signal }: { url: string; hosts: readonly string[]; signal: AbortSignal },
): Promise<void> {
  const { environment, source, secret } = EXAMPLE_JOURNEY;
  const reach = hosts.flatMap((host) => ["--reach", host]);
  const settings = ["--server", `${source}=${url}`, ...reach];
  await waymark(credentials, ["environment", "set", environment, ...settings], { signal });
  const where = ["--env", environment, "--host", new URL(url).host];
  await waymark(credentials, ["secret", "set", secret.name, ...where], { signal, input: secret.value });
}

function scan(
  credentials: Credentials,
  { service, spec }: { service: string; spec: string },
  { signal, options = [] }: { signal: AbortSignal; options?: string[] },
): Promise<string> {
  const args = ["scan", "--service", service, "--spec", spec, ...options];
  // Wherever Waymark is started, in a pipeline too, the examples are what its pages show.
  return waymark(credentials, [...args, "--promote", "--wait", "--wait-timeout", "20"], { signal });
}

/** Runs the built command with these arguments, and returns its lines. */
export function waymark(
  { apiKey, apiUrl }: Credentials,
  args: string[],
  options: { signal: AbortSignal; input?: string; cwd?: string },
): Promise<string> {
  // In the environment: command lines can be read by every user of the machine.
  const secrets = { SERVICE_API_KEY: apiKey, SERVICE_API_URL: apiUrl };
  // In CI, a run is told in one line.
  const env = { ...withoutSecrets(process.env), ...secrets, CI: "true" };
  return runScript("cli/bin/waymark.mjs", args, { ...options, env });
}

function get({ apiUrl, apiKey }: Credentials, path: string): Promise<Response> {
  return fetch(`${apiUrl}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
}

/** @throws Error with the response, unless it is a success */
async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${response.url} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}
