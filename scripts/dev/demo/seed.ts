// Makes the demo organization: the scans, journeys, teams and decisions that a team would have made, by the real command and
// the HTTP interface. Nothing has a time of the past: the history is made in order, now.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../bootstrap/checkout.mjs";
import { step } from "../../bootstrap/progress.mjs";
import { EXAMPLE_JOURNEY, runExampleJourney, waymark } from "../examples.ts";
import { withoutSecrets } from "../environments.ts";
import type { Credentials } from "../private-files.ts";
import { callApi } from "./call-api.ts";
import { describeApi } from "./descriptions.ts";
import { apiAt, DEMO_SCANS, DEMO_SERVICES, DEMO_TEAMS, servicesOfScan } from "./services.ts";
import { triageDemo } from "./triage.ts";

interface Place {
  /** Where the shop's repository is made. */
  dataFolder: string;
  /** Where the example API listens. */
  exampleUrl: string;
  signal: AbortSignal;
}

/** Returns whether the organization has the demo, or was left with a part of it. */
export async function demoState(
  credentials: Credentials,
  { dataFolder }: Pick<Place, "dataFolder">,
): Promise<"none" | "partial" | "whole"> {
  if (existsSync(markOf(dataFolder))) return "whole";
  // The first things that are made.
  const { teams } = await callApi<{ teams: unknown[] }>(credentials, "GET", "/api/teams");
  return teams.length === 0 ? "none" : "partial";
}

/** The file that says that all of the demo was made. */
const markOf = (dataFolder: string) => path.join(dataFolder, "demo-is-whole");

/** Fills an empty organization. */
export async function seedDemo(credentials: Credentials, place: Place): Promise<void> {
  const repository = path.join(place.dataFolder, "shop");
  for (const slug of DEMO_TEAMS) {
    const displayName = `${slug.slice(0, 1).toUpperCase()}${slug.slice(1)}`;
    await callApi(credentials, "POST", "/api/teams", { slug, displayName, handles: [`@shop/${slug}`] });
  }
  const count = DEMO_SCANS.length;
  // The journeys wait for the worker most of the time.
  await step(
    `Scanning ${DEMO_SERVICES.length} services of a shop, ${count} times, and running journeys`,
    () =>
      Promise.all([
        scanHistory(credentials, { repository, signal: place.signal }),
        runJourneys(credentials, { ...place, folder: path.join(place.dataFolder, "journeys") }),
      ]),
  );
  await step("Deciding about findings", () => triageDemo(credentials));
  writeFileSync(markOf(place.dataFolder), "");
}

async function scanHistory(
  credentials: Credentials,
  { repository, signal }: { repository: string; signal: AbortSignal },
): Promise<void> {
  await createRepository(repository);
  for (const [index, { author, message }] of DEMO_SCANS.entries()) {
    const scan = index + 1;
    const services = servicesOfScan(scan);
    for (const service of services) {
      const description = describeApi(service, apiAt(service, scan), `1.${index}.0`);
      writeFileSync(fileOf(repository, service), JSON.stringify(description, null, 2));
    }
    await commit(repository, { author, message });
    const files = services.map(({ team, name }) => `${team}/${name}`).join(",");
    const args = ["scan", "--spec", `{${files}}.json`, "--service-from", "file", "--lint", "--promote"];
    // Scans of a service are stored in the order in which they come.
    const wait = scan === DEMO_SCANS.length ? ["--wait"] : [];
    await waymark(credentials, [...args, ...wait], { signal, cwd: repository });
  }
}

const fileOf = (repository: string, { team, name }: { team: string; name: string }) =>
  path.join(repository, team, `${name}.json`);

/** A repository of its own, so that scans have a branch, commits and authors. */
async function createRepository(repository: string): Promise<void> {
  rmSync(repository, { recursive: true, force: true });
  for (const team of DEMO_TEAMS) mkdirSync(path.join(repository, team), { recursive: true });
  const owners = DEMO_TEAMS.map((team) => `/${team}/ @shop/${team}\n`);
  writeFileSync(path.join(repository, "CODEOWNERS"), owners.join(""));
  writeFileSync(path.join(repository, "waymark.yaml"), "defaultBranch: main\n");
  await git(repository, ["init", "--quiet", "--initial-branch=main"]);
}

async function commit(repository: string, by: { author: string; message: string }): Promise<void> {
  await git(repository, ["add", "--all"]);
  await git(repository, ["commit", "--quiet", "--message", by.message], by.author);
}

async function git(cwd: string, args: string[], author = "Shop"): Promise<void> {
  // Neither the user's name nor hooks, signatures and templates of theirs, nor a repository that a variable such as GIT_DIR names.
  const settings = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const email = "nobody@example.com";
  const env = {
    ...Object.fromEntries(
      Object.entries(withoutSecrets(process.env)).filter(([name]) => !name.startsWith("GIT_")),
    ),
    ...settings,
    GIT_AUTHOR_NAME: author,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: author,
    GIT_COMMITTER_EMAIL: email,
  };
  await promisify(execFile)("git", args, { cwd, env });
}

/** Runs a journey that passes, and a variant whose author was wrong about what the API answers. */
async function runJourneys(
  credentials: Credentials,
  { folder, exampleUrl, signal }: Omit<Place, "dataFolder"> & { folder: string },
): Promise<void> {
  await runExampleJourney(credentials, { url: exampleUrl, signal });
  const { journey, spec, environment } = EXAMPLE_JOURNEY;
  // A push sends files of the working directory only. The others are on the server already, by these paths.
  for (const file of [journey, spec]) cpSync(path.join(root, file), path.join(folder, file));
  writeFileSync(path.join(folder, STALE), staleOverlay(path.basename(journey)));
  const inFolder = { signal, cwd: folder };
  const message = ["--message", "Expect what the old version said"];
  await waymark(credentials, ["journey", "push", STALE, ...message], inFolder);
  const run = ["journey", "run", "--cloud", "--env", environment, STALE];
  // A journey that fails ends the command with 1: that is what the demo shows.
  await waymark(credentials, run, inFolder).catch((error: unknown) => {
    if (!(error instanceof Error && exitCodeOf(error) === 1)) throw error;
  });
}

const STALE = path.join(path.dirname(EXAMPLE_JOURNEY.journey), "notes.stale.overlay.yaml");

function exitCodeOf({ cause }: Error): unknown {
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}

const staleOverlay = (journey: string) => `overlay: 1.1.0
info:
  title: The life of a note - a dropped note can be read
  version: 1.0.0
  x-overlay: { id: notes/stale, extendsVersion: ^2.0.0, onZeroMatch: error }
extends: ./${journey}
actions:
  - target: $.workflows[?@.workflowId=='main'].steps
    x-insert: { after: drop }
    update:
      - stepId: readAgain
        operationId: readNote
        parameters: [{ name: id, in: path, value: $steps.add.outputs.id }]
        successCriteria:
          - { x-id: stillThere, condition: $statusCode == 200 }
  - target: $.workflows[?@.workflowId=='main']['x-journey'].acceptanceCriteria[?@.id=='AC-3'].provenBy
    update: [readAgain#stillThere]
`;

/** The number of services of the demo, with that of the journeys. */
export const DEMO_SERVICE_COUNT = DEMO_SERVICES.length + 1;
