import type { HttpClient } from "../http-client.ts";
import { storeDocument } from "../journeys.ts";
import { descriptionOf as scannedDescription } from "../descriptions.ts";
import { scanPayload } from "../scan-payload.ts";
import { ingest, waitForRun } from "../scans.ts";
import type { Stack } from "../stack.ts";

export const LETTERS = ["alder", "birch"] as const;
export type Letter = (typeof LETTERS)[number];

/** The fingerprint of no finding. */
export const FINGERPRINT = "0".repeat(32);

/** One of each thing. Every name ends in the letter, so that a response shows whose it is. */
export interface Things {
  serviceId: string;
  scanRunId: string;
  journeyId: string;
  descriptionId: string;
  environmentId: string;
  apiKeyId: string;
  /** A decision about findings of the service. */
  decisionId: string;
  /** A comment on a finding of the service. */
  commentId: string;
  /** A comment on the scan run. */
  runCommentId: string;
}

/** A run and a schedule of a journey in an environment. */
export interface Pair {
  journey: Letter;
  environment: Letter;
  runId: string;
  artifact: string;
  scheduleId: string;
}

export interface DecisionOrganization {
  things: Record<Letter, Things>;
  pairs: Pair[];
}

async function made(
  http: HttpClient,
  [method, path]: [string, string],
  body: unknown,
): Promise<Record<string, string>> {
  const answer = await http.request<Record<string, string>>(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

const descriptionOf = (letter: Letter) => `openapi: 3.1.0
info: { title: dsc${letter}, version: 1.0.0 }
servers: [{ url: "https://${letter}.example" }]
paths: { /pth${letter}: { get: { operationId: read${letter}, responses: { "200": { description: ok } } } } }
`;

/** Both journeys use the description of birch, which only one of them belongs to. */
const journeyOf = (letter: Letter) => `arazzo: 1.1.0
info: { title: jny${letter}, version: 1.0.0, x-journey: { schema: 1 } }
sourceDescriptions:
${[...new Set([letter, "birch"])].map((source) => `  - { name: ${source}, type: openapi, url: dsc${source}.openapi.yaml }`).join("\n")}
workflows:
  - workflowId: main
    x-journey: { acceptanceCriteria: [{ id: crt${letter}, text: It works, severity: must, provenBy: [${letter}#ok] }] }
    steps:
${[...new Set([letter, "birch"])].map((source) => `      - { stepId: ${source}, operationId: $sourceDescriptions.${source}.read${source}, successCriteria: [{ condition: $statusCode == 200, x-id: ok }] }`).join("\n")}
`;

const overlayOf = (letter: Letter, base: Letter) => `overlay: 1.1.0
info: { title: ovl${letter}, version: 1.0.0, x-overlay: { id: ovl${letter}, extendsVersion: ^1.0.0 } }
extends: jny${base}.journey.yaml
actions: [{ target: "$.info", update: { summary: changed } }]
`;

/**
 * Creates two of each thing, and a run and a schedule of each journey in each environment. Both environments are protected, and the
 * descriptions have changed since the releases, so that no request starts a run.
 */
export async function createDecisionOrganization(stack: Stack): Promise<DecisionOrganization> {
  const entries: [Letter, Things][] = [];
  for (const letter of LETTERS.toReversed()) entries.push([letter, await createThings(stack, letter)]);
  const [birch, alder] = entries.map(([, things]) => things);
  if (alder === undefined || birch === undefined) throw new Error("the world is incomplete");
  const things = { alder, birch };
  await storeDocument(stack, { path: "ovlbirch.overlay.yaml", text: overlayOf("birch", "alder") });
  const pairs: Pair[] = [];
  for (const journey of LETTERS)
    for (const environment of LETTERS) pairs.push(await createPair(stack, things, { journey, environment }));
  for (const letter of LETTERS) {
    const text = `${descriptionOf(letter)}# changed\n`;
    await storeDocument(stack, { path: `dsc${letter}.openapi.yaml`, text, baseVersion: 1 });
  }
  return { things, pairs };
}

async function createThings(stack: Stack, letter: Letter): Promise<Things> {
  const scan = {
    ...scanPayload({ serviceName: `svc${letter}` }),
    endpoints: [{ method: "GET", path: `/pth${letter}`, operationId: null, tags: [], summary: null }],
    findings: [{ code: `fnd${letter}`, severity: "high", message: `msg${letter}`, method: null, path: null }],
  } as ReturnType<typeof scanPayload>;
  const { serviceId, scanRunId } = (await ingest(stack, scan)).body;
  await waitForRun(stack, scanRunId);
  await made(
    stack.http,
    ["PUT", `/api/scan-runs/${scanRunId}/description`],
    scannedDescription(scan.endpoints),
  );
  const store = (path: string, text: string) => storeDocument(stack, { path, text });
  const { id: descriptionId } = await store(`dsc${letter}.openapi.yaml`, descriptionOf(letter));
  const { id: journeyId, problems } = await store(`jny${letter}.journey.yaml`, journeyOf(letter));
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  await made(stack.http, ["PUT", `/api/journeys/${descriptionId}/binding`], { serviceId });
  const settings = { name: `env${letter}`, protected: true };
  const { id: environmentId = "" } = await made(stack.http, ["POST", "/api/environments"], settings);
  await made(stack.http, ["PUT", `/api/environments/${environmentId}/secrets/sec${letter}`], {
    value: crypto.randomUUID(),
    hosts: ["api.example"],
  });
  const { id: apiKeyId = "" } = await made(stack.http, ["POST", "/api/api-keys"], {
    name: `key${letter}`,
    ownerPrincipalType: "service_account",
    scopes: ["services:read"],
  });
  const { id: decisionId = "" } = await made(stack.http, ["POST", "/api/finding-decisions"], {
    kind: "wont_fix",
    serviceId,
    code: `fnd${letter}`,
    reason: `why${letter}`,
  });
  const { id: commentId = "" } = await made(stack.http, ["POST", "/api/finding-comments"], {
    serviceId,
    fingerprint: FINGERPRINT,
    text: `cmt${letter}`,
  });
  const { id: runCommentId = "" } = await made(stack.http, ["POST", `/api/scan-runs/${scanRunId}/comments`], {
    text: `said${letter}`,
  });
  return {
    serviceId,
    scanRunId,
    journeyId,
    descriptionId,
    environmentId,
    apiKeyId,
    decisionId,
    commentId,
    runCommentId,
  };
}

async function createPair(
  { http }: Stack,
  things: Record<Letter, Things>,
  { journey, environment }: { journey: Letter; environment: Letter },
): Promise<Pair> {
  const { journeyId } = things[journey];
  const { environmentId } = things[environment];
  await made(http, ["PUT", `/api/environments/${environmentId}/releases/${journeyId}`], { version: 1 });
  const { runId = "", artifact = "" } = await made(http, ["POST", "/api/journey-runs"], {
    journeyId,
    environmentId,
  });
  const schedule = { name: scheduleName(journey, environment), journeyId, environmentId, cron: "0 4 1 1 *" };
  const { id: scheduleId = "" } = await made(http, ["POST", "/api/journey-schedules"], schedule);
  return { journey, environment, runId, artifact, scheduleId };
}

export const scheduleName = (journey: Letter, environment: Letter) => `sch${journey}${environment}`;
