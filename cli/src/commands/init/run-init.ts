import { existsSync } from "node:fs";
import path from "node:path";
import { serviceNameProblem, tidyServiceName } from "@waymark/shared/lib/service-name.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { stringify } from "yaml";
import { parseApiUrl } from "../../api/api-url.ts";
import { readCheckout } from "../../ci/checkout.ts";
import { describeSkipped } from "../../discovery/describe-skipped.ts";
import { findDescriptions, type FoundDescription } from "../../discovery/find-descriptions.ts";
import type { OptionsOf } from "../../framework/base-command.ts";
import type { CliContext } from "../../framework/context.ts";
import { PROJECT_FILE } from "../../framework/project-file.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { given } from "../../lib/config.ts";
import { writeDocument, writeLine } from "../../lib/output.ts";
import { plural, printable } from "../../lib/text.ts";
import { createFile } from "../../lib/write-file.ts";
import type { InitCommand } from "../init.ts";
import { canAsk, openQuestions, type Questions } from "./ask.ts";
import { CI_SYSTEMS, ciJob, type CiJob, type CiSystem, detectCi } from "./ci-job.ts";

type InitFlags = OptionsOf<InitCommand>;

/** Writes `waymark.yaml` and the CI job of a repository, and says what is left to do. */
export async function runInit(context: CliContext, flags: InitFlags): Promise<ExitCode> {
  const asks = flags.yes !== true && flags.dryRun !== true;
  const apiUrl = settleUrl(context, flags);
  const system = settleCi(flags);
  const stdin = asks ? context.openStdin() : undefined;
  if (stdin !== undefined && !canAsk(stdin))
    throw usageError(
      "waymark init asks for names on a terminal. Elsewhere, pass --yes to take the guessed ones, or --dry-run.",
    );
  const { found, skipped } = await findDescriptions(context.cwd);
  const left = describeSkipped(skipped);
  if (found.length === 0) {
    throw usageError("There is no OpenAPI description below the working directory.", {
      details: [
        ...left,
        "waymark scan --spec FILE --service NAME scans a file that is found nowhere, such as a generated one.",
      ],
    });
  }
  for (const line of left) writeLine(context.stderr, line);
  const checkout = await readCheckout(context.cwd, context.env);
  const chosen = system === "none" ? undefined : (system ?? detectCi(context.cwd, checkout?.origin));
  const job = chosen === undefined ? undefined : ciJob(chosen, { root: context.cwd, apiUrl, checkout });
  const questions = stdin === undefined ? undefined : openQuestions(stdin, context.stderr);
  try {
    const named = questions === undefined ? found : await askNames(context, questions, found);
    const files = [{ file: PROJECT_FILE, text: projectText(named) }, ...(job === undefined ? [] : [job])];
    if (flags.dryRun === true) {
      for (const { file, text } of files) writeDocument(context.stdout, `# ${file}\n${text}\n`);
      return EXIT_CODES.ok;
    }
    await writeAll(context, { files, force: flags.force === true, questions });
    explain(context, { named, files: files.map(({ file }) => file), job });
    return EXIT_CODES.ok;
  } finally {
    questions?.close();
  }
}

function settleUrl({ env }: CliContext, flags: InitFlags): string | undefined {
  const text = given(flags.apiUrl) ?? given(env["SERVICE_API_URL"]);
  if (text === undefined) return undefined;
  return parseApiUrl(text).href.replace(/\/+$/, "");
}

function settleCi(flags: InitFlags): CiSystem | "none" | undefined {
  const asked = given(flags.ci);
  if (asked === undefined || asked === "none") return asked;
  const system = CI_SYSTEMS.find((each) => each === asked);
  if (system === undefined) throw usageError(`--ci must be ${CI_SYSTEMS.join(", ")} or none.`);
  return system;
}

async function askNames(
  { stderr }: CliContext,
  questions: Questions,
  found: readonly FoundDescription[],
): Promise<FoundDescription[]> {
  writeLine(
    stderr,
    `Found ${plural(found.length, "description")}. An empty answer takes the name in brackets.`,
  );
  const named: FoundDescription[] = [];
  for (const { service, spec } of found) {
    for (;;) {
      const answer = await questions.ask(
        `Service of ${printable(spec, 300)} [${printable(service)}]: `,
        service,
      );
      const name = tidyServiceName(answer);
      const problem = whyNot(name, named);
      if (problem === undefined) {
        named.push({ service: name, spec });
        break;
      }
      writeLine(stderr, `The name ${problem}.`);
    }
  }
  return named;
}

function whyNot(name: string, named: readonly FoundDescription[]): string | undefined {
  if (Array.from(name).length > SCAN_LIMITS.serviceNameMax)
    return `has more than ${SCAN_LIMITS.serviceNameMax} characters`;
  const same = named.find(({ service }) => service === name);
  return same === undefined ? serviceNameProblem(name) : `is that of ${printable(same.spec, 300)}`;
}

/** Returns the text of `waymark.yaml`. */
function projectText(named: readonly FoundDescription[]): string {
  const [only, ...others] = named;
  const settings = others.length === 0 ? { ...only } : { services: named };
  return `# waymark scan sends these descriptions. The name of a service stays when its file moves.\n${stringify(settings, { lineWidth: 0 })}`;
}

interface Written {
  files: readonly { file: string; text: string }[];
  force: boolean;
  questions: Questions | undefined;
}

/** Writes all files, or none if one exists and may not be replaced. */
async function writeAll(context: CliContext, { files, force, questions }: Written): Promise<void> {
  const existing = files.filter(({ file }) => existsSync(path.join(context.cwd, file)));
  for (const { file } of force ? [] : existing) {
    const answer = await questions?.ask(`${file} exists. Replace it? [y/N] `, "n");
    if (answer === undefined || !/^y(?:es)?$/i.test(answer)) {
      throw usageError(
        `${file} exists already, so nothing was written. --force replaces it, and --dry-run shows what it would have.`,
      );
    }
  }
  for (const { file, text } of files) await createFile(context.cwd, file, { text, force: true });
}

function explain(
  { stdout }: CliContext,
  {
    named,
    files,
    job,
  }: { named: readonly FoundDescription[]; files: readonly string[]; job: CiJob | undefined },
): void {
  for (const { service, spec } of named) writeLine(stdout, printable(`${service}: ${spec}`, 600));
  writeLine(stdout, `Wrote ${files.join(" and ")}.`);
  const steps = [
    "See what a scan sends: waymark scan --dry-run",
    ...(job?.steps ?? [
      "Run waymark scan in your pipeline, with SERVICE_API_URL and SERVICE_API_KEY, or with an identity: docs/workload-identity.md has a job for each system.",
    ]),
  ];
  writeLine(stdout, "Next:");
  for (const [index, step] of steps.entries()) writeLine(stdout, `  ${index + 1}. ${step}`);
}
