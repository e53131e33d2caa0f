import type { Environment } from "@waymark/shared/environments/schema.ts";
import type { CreatedJourneyRunLink } from "@waymark/shared/journey-runs/links/schema.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { storeDocument, runToEnd } from "@waymark/test-support/journeys.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import type { Stack } from "@waymark/test-support/stack.ts";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { startService, untilReady } from "../../../scripts/service.ts";

const FOLDER = "examples/journeys";
const JOURNEY = `${FOLDER}/notes.journey.yaml`;
const VARIANT = `${FOLDER}/notes.gone.overlay.yaml`;
const STRICT = `${FOLDER}/notes.strict.overlay.yaml`;
/** Expects what the example API does not answer, so that its run fails. */
const STRICT_TEXT = `overlay: 1.1.0
info:
  title: The life of a note - dropping answers with the note
  version: 1.0.0
  x-overlay: { id: notes/strict, extendsVersion: ^2.0.0 }
extends: ./notes.journey.yaml
actions:
  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='drop'].successCriteria[?@['x-id']=='dropped']
    update: { condition: $statusCode == 200 }
`;

export interface ExampleApi extends AsyncDisposable {
  url: string;
  port: number;
}

/** The API of notes that the example journey calls. */
export async function startExampleApi(): Promise<ExampleApi> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const service = startService(`${FOLDER}/server.mjs`, { env: {}, args: [String(port)] });
  await untilReady(service, async () => (await fetch(url)).status === 401, { timeoutMs: 30_000 });
  return { url, port, [Symbol.asyncDispose]: async () => void (await service.stop()) };
}

/** Ids of what the pictures show. */
export interface DemoJourneyPages {
  journey: string;
  /** Adds a step to it. */
  variant: string;
  environment: string;
  failedJourneyRun: string;
}

/** The example journey with two variants in an environment, with runs of each and a schedule. */
export async function createDemoJourneys(stack: Stack, { url }: ExampleApi): Promise<DemoJourneyPages> {
  await pushExample(stack);
  await storeDocument(stack, { path: STRICT, text: STRICT_TEXT });
  const environment = await createEnvironment(stack, url);
  const run = (path: string) => runToEnd(stack, { path, environmentId: environment });
  await run(JOURNEY);
  await run(VARIANT);
  const failedJourneyRun = await run(STRICT);
  const { body } = await stack.http.get<{ journeys: JourneyDocument[] }>("/api/journeys");
  const [journey = "", variant = ""] = [JOURNEY, VARIANT].map(
    (wanted) => body.journeys.find(({ path }) => path === wanted)?.id,
  );
  const rhythm = { cron: "30 2 * * MON-FRI", timeZone: "Europe/Berlin" };
  const schedule = { name: "nightly notes", journeyId: journey, environmentId: environment, ...rhythm };
  const created = await stack.http.post("/api/journey-schedules", schedule);
  if (created.status !== 201) throw new Error(`the schedule was refused: ${created.text}`);
  return { journey, variant, environment, failedJourneyRun };
}

/** Shares a run. Returns the path of the link, with its token. A link belongs to the run as it was when it was made. */
export async function shareRun({ http }: Stack, runId: string): Promise<string> {
  const request = { includes: "exchanges" };
  const { body, status, text } = await http.post<CreatedJourneyRunLink>(
    `/api/journey-runs/${runId}/links`,
    request,
  );
  if (status !== 201) throw new Error(`the run was not shared: ${text}`);
  const { pathname, hash } = new URL(body.url);
  return `${pathname}${hash}`;
}

/** With the real command. The scan comes first: the pushed description then belongs to its service. */
async function pushExample({ api, apiKey }: Stack): Promise<void> {
  const env = { SERVICE_API_KEY: apiKey, SERVICE_API_URL: api.baseUrl, CI: "true" };
  const waymark = (...args: string[]) => runNode(["cli/bin/waymark.mjs", ...args], env);
  await waymark("scan", "--service", "notes", "--spec", `${FOLDER}/notes.openapi.yaml`, "--wait");
  await waymark("journey", "push", JOURNEY, VARIANT, "--message", "The life of a note");
}

async function createEnvironment({ http }: Stack, url: string): Promise<string> {
  const settings = { name: "staging", servers: { notes: url } };
  const { body, text } = await http.post<Environment>("/api/environments", settings);
  if (body.id === undefined) throw new Error(text);
  const secret = await http.request("PUT", `/api/environments/${body.id}/secrets/NOTES_TOKEN`, {
    body: { value: "let-me-in", hosts: [new URL(url).host] },
  });
  if (secret.status >= 300) throw new Error(`the secret was refused: ${secret.text}`);
  await http.post("/api/environments", {
    name: "production",
    servers: { notes: "https://notes.example.com/v2" },
    protected: true,
  });
  return body.id;
}
