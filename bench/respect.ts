// Plays the conformance suite's probes with Redocly's Respect and prints how many verdicts are those of the specification's
// text: `node bench/respect.ts [--all]`. It measures no time, and `npm test` does not run it. Respect is called in this process,
// with its linting, and with its own checks of a description's schemas, statuses and media types off: the text doesn't ask for them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isObject, ownArray, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import {
  answersTo,
  documentOf,
  OPENAPI,
  PROBE_FILES,
  probesOf,
  textsOf,
} from "../test/journeys/support/probe.ts";
import type { Probe } from "../test/journeys/support/probe.ts";
import { installPeer } from "./support/peers.ts";
import { loadRespect } from "./support/respect-core.ts";

const PROBE_MS = 10_000;

interface Check {
  passed: boolean;
}
interface RanWorkflow {
  workflowId: string;
  ctx: { $outputs?: Record<string, JsonObject> };
  executedSteps: { stepId: string; checks?: Check[] }[];
}
type RunRespect = (
  options: Record<string, unknown>,
) => Promise<{ hasProblems: boolean; executedWorkflows: RanWorkflow[] }[]>;
interface Sent {
  method: string;
  url: string;
  body: string;
  headers: Headers;
}
interface Played {
  requests: Sent[];
  /** Undefined where Respect refused the document. */
  hasProblems: boolean | undefined;
  workflows: RanWorkflow[];
}

const peer = await installPeer("@redocly/respect-core");
const { run: loaded, config, logger } = await loadRespect(peer);
const run = loaded as RunRespect;

/** The probe's documents as files; the path of the one to run. */
function write(folder: string, probe: Probe): string {
  const texts = probe.files === undefined ? filesOf(probe) : textsOf(probe.files);
  for (const [name, text] of texts) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return path.join(folder, [...texts.keys()][0] ?? "");
}

function filesOf(probe: Probe): Map<string, string> {
  const document = documentOf(probe);
  const files = new Map([["probe.json", ""]]);
  const sources: [string, JsonValue][] = [
    ...Object.entries(probe.openapi ?? { api: OPENAPI }),
    ...Object.entries(probe.arazzo ?? {}),
  ];
  for (const [name, value] of sources) {
    const file = value === "self" ? "probe.json" : `${name}.json`;
    if (value !== "self") files.set(file, JSON.stringify(complete(value)));
    for (const source of ownArray(document, "sourceDescriptions")) {
      if (isObject(source) && ownString(source, "name") === name) source["url"] = `./${file}`;
    }
  }
  return files.set("probe.json", JSON.stringify(document));
}

/** Adds the `info` that linting demands of a description and the probes leave out. */
function complete(value: JsonValue): JsonValue {
  return isObject(value) && "openapi" in value
    ? { info: { title: "Probe", version: "1.0.0" }, ...value }
    : value;
}

async function play(probe: Probe): Promise<Played> {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-probe-"));
  const answer = answersTo(probe);
  const requests: Sent[] = [];
  const fetch = async (target: string | URL, init: RequestInit = {}): Promise<Response> => {
    const sent = new Request(target, init);
    const { method, url, headers } = sent;
    requests.push({ method, url: String(target), headers, body: await sent.clone().text() });
    const {
      silent,
      status = 200,
      body = {},
      type = "application/json",
      headers: more = {},
    } = answer({ method, url });
    if (silent === true) return new Promise(() => {});
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const isEmpty = text === "" || [204, 304].includes(status);
    return new Response(isEmpty ? null : text, { status, headers: { "content-type": type, ...more } });
  };
  const hasMain =
    probe.files !== undefined ||
    ownArray(documentOf(probe), "workflows").some((item) => ownString(item, "workflowId") === "main");
  try {
    const [result] = await withinLimit(
      run({
        files: [write(folder, probe)],
        ...(hasMain ? { workflow: ["main"] } : {}),
        ...(probe.inputs === undefined ? {} : { input: JSON.stringify(probe.inputs) }),
        config,
        logger,
        fetch,
        maxSteps: 200,
        maxFetchTimeout: 5_000,
        severity: ["SCHEMA_CHECK=off", "STATUS_CODE_CHECK=off", "CONTENT_TYPE_CHECK=off"],
        requestFileLoader: { getFileBody: () => Promise.reject(new Error("there is no file")) },
      }),
    );
    return { requests, hasProblems: result?.hasProblems, workflows: result?.executedWorkflows ?? [] };
  } catch {
    return { requests, hasProblems: undefined, workflows: [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The timer also keeps this process going while nothing answers. */
async function withinLimit<T>(running: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error("Respect did not end"));
    }, PROBE_MS);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the differences from the text's verdict; empty if everything that can be observed agrees. */
function differences({ expect }: Probe, { requests, hasProblems, workflows }: Played): string[] {
  const last = requests.at(-1);
  const wrong: string[] = [];
  const check = (what: string, is: unknown, wanted: unknown): void => {
    if (JSON.stringify(is) !== JSON.stringify(wanted))
      wrong.push(`${what} ${JSON.stringify(is)} instead of ${JSON.stringify(wanted)}`);
  };
  if (expect.invalid !== undefined)
    check("accepted", hasProblems !== undefined || requests.length > 0, false);
  if (expect.status !== undefined) check("passed", hasProblems === false, expect.status === "passed");
  if (expect.sent !== undefined) {
    const sent = requests.map(({ method, url }) => `${method} ${url.slice(new URL(url).origin.length)}`);
    check("sent", sent, expect.sent);
  }
  if (expect.body !== undefined) check("body", last?.body ?? "", expect.body);
  for (const [name, value] of Object.entries(expect.headers ?? {}))
    check(`header ${name}`, last?.headers.get(name) ?? "(none)", value);
  const steps = workflows.flatMap(({ executedSteps }) => executedSteps);
  for (const [id, status] of Object.entries(expect.steps ?? {})) {
    const ran = steps.filter(({ stepId }) => stepId === id);
    const isPassed = ran.at(-1)?.checks?.every(({ passed }) => passed) === true;
    check(`step ${id}`, ran.length === 0 ? "skipped" : isPassed ? "passed" : "failed", status);
  }
  const outputs = workflows.map(({ ctx, workflowId }) => ctx.$outputs?.[workflowId]).at(-1) ?? {};
  for (const [name, value] of Object.entries(expect.outputs ?? {}))
    check(`output ${name}`, outputs[name] ?? null, value);
  return wrong;
}

const usesXPath = (probe: Probe): boolean => /"xpath/.test(JSON.stringify(probe));
const tally = { probes: 0, agree: 0, xpath: 0, xpathAgree: 0 };
for (const file of PROBE_FILES) {
  const before = { ...tally };
  for (const probe of probesOf(file)) {
    const wrong = differences(probe, await play(probe));
    tally.probes += 1;
    if (wrong.length === 0) tally.agree += 1;
    if (usesXPath(probe)) {
      tally.xpath += 1;
      if (wrong.length === 0) tally.xpathAgree += 1;
    }
    if (wrong.length > 0 && process.argv.includes("--all"))
      process.stdout.write(`${file}: ${probe.section}: ${probe.name}\n    ${wrong.join("; ")}\n`);
  }
  process.stdout.write(`${file}: ${tally.agree - before.agree} of ${tally.probes - before.probes}\n`);
}
process.stdout.write(
  `Respect has the text's verdict in ${tally.agree} of ${tally.probes} probes; ` +
    `without those that need XPath, which it doesn't have, in ${tally.agree - tally.xpathAgree} of ${tally.probes - tally.xpath}.\n`,
);
