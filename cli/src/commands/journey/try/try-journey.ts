import { randomBytes } from "node:crypto";
import { exitCodeOf } from "@waymark/journeys/result/result.ts";
import { systemClock } from "@waymark/journeys/run/system-clock.ts";
import { keepTry, reuseFor } from "@waymark/journeys/try/kept-try.ts";
import type { Reuse } from "@waymark/journeys/try/kept-try.ts";
import { triedStep } from "@waymark/journeys/try/try-result.ts";
import type { TryResult } from "@waymark/journeys/try/try-result.ts";
import { planRequests, tryStep } from "@waymark/journeys/try/try-step.ts";
import type { TryOptions } from "@waymark/journeys/try/try-step.ts";
import type { Program } from "@waymark/journeys/program/program.ts";
import { nearestName } from "@waymark/openapi/nearest-name.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { printable } from "../../../lib/text.ts";
import type { CompileRequest } from "../files/compile-files.ts";
import { sha256 } from "../files/hash.ts";
import { interruptOnce } from "../run/interrupt.ts";
import { loadRunnable } from "../run/load-runnable.ts";
import { openTransport } from "../run/network.ts";
import { planRuns } from "../run/plan.ts";
import { secretResolver } from "../run/secrets.ts";
import { runSettings } from "../run/settings.ts";
import { checkServers } from "../run/servers.ts";
import { styleFor } from "../run/style.ts";
import { labelOf } from "../run/terminal.ts";
import { isExpired, keptFileOf } from "./kept-file.ts";
import type { KeptContent, KeptFile } from "./kept-file.ts";
import { originsOf } from "./origins.ts";
import type { FoundReuse } from "./show-try.ts";
import { listed, reusedLine, showTry, teardownOf } from "./show-try.ts";
import { planLines } from "./try-lines.ts";

/** The command line of `try`. */
export interface TryCommandOptions extends CompileRequest {
  step: string;
  keep: boolean | undefined;
  fresh: boolean | undefined;
  dryRun: boolean | undefined;
  json: boolean | undefined;
  input: readonly string[];
  inputs: string | undefined;
  secret: readonly string[];
  server: readonly string[];
  followRedirects: boolean | undefined;
  timeout: string | undefined;
  caCert: string | undefined;
  forbidPrivate: boolean | undefined;
}

/** Runs a journey until a step, shows the step and returns the exit code. */
export async function tryJourney(context: CliContext, options: TryCommandOptions): Promise<number> {
  const opened = await openTry(context, options);
  const { program } = opened.artifact;
  const found = await findReuse(options, opened);
  if (found.warning !== undefined) writeLine(context.stderr, `warning: ${found.warning}`);
  const given = {
    ...opened.runOptions,
    step: options.step,
    ...(found.reuse === undefined ? {} : { reuse: found.reuse }),
  };
  if (options.json !== true) {
    const { provenance } = opened.artifact;
    const label = labelOf({ ...program.journey, overlays: provenance.overlays.map(({ id }) => id) }, "");
    writeLine(context.stdout, printable(label));
    if (found.reuse !== undefined) writeLine(context.stdout, reusedLine(found.reuse));
  }
  return options.dryRun === true
    ? showPlan(context, options, { opened, given })
    : sendTry(context, options, { opened, given, found });
}

type OpenedTry = Awaited<ReturnType<typeof openTry>>;

async function openTry(context: CliContext, options: TryCommandOptions) {
  const command = { ...options, ...NOT_IN_A_TRY };
  const settings = runSettings(context, command);
  const runnable = await loadRunnable(context, options);
  for (const line of runnable.warnings) writeLine(context.stderr, line);
  checkServers([runnable], settings.servers);
  const { artifact } = runnable.prepared;
  checkStep(artifact.program, options.step);
  const [planned] = await planRuns(context, [runnable], { ...command, hasAll: true });
  const inputs = planned?.inputs ?? {};
  const resolveSecret = await secretResolver(context, options.secret);
  const { servers, timeoutMs } = settings;
  const followRedirects = options.followRedirects === true;
  return {
    prepared: runnable.prepared,
    artifact,
    resolveSecret,
    file: keptFileOf(context.env, context.cwd, options),
    originsWith: (salt: string) =>
      originsOf(artifact.program, { inputs, servers, resolveSecret, followRedirects, salt }),
    runOptions: {
      inputs,
      servers,
      followRedirects,
      ...(timeoutMs === undefined ? {} : { limits: { runMs: timeoutMs } }),
    } satisfies Omit<TryOptions, "step">,
  };
}

/** The options of `journey run` that a try of one step does not have. */
const NOT_IN_A_TRY = {
  files: [],
  data: undefined,
  parallel: undefined,
  bail: undefined,
  strictContract: undefined,
  seed: undefined,
  report: [],
  quiet: undefined,
  verbose: undefined,
};

function checkStep({ workflows, entry }: Program, step: string): void {
  const names = (workflows[entry]?.steps ?? []).map(({ id }) => id);
  if (names.includes(step)) return;
  const meant = nearestName(step, names);
  const hint =
    meant === undefined
      ? `there is ${names
          .slice(0, 50)
          .map((name) => printable(name, 60))
          .join(", ")}`
      : `did you mean ${printable(meant, 60)}?`;
  throw usageError(
    `The workflow has no step "${printable(step, 60)}": ${hint}${hint.endsWith("?") ? "" : "."}`,
  );
}

/** Returns the kept outputs to go on from, or why there are none to use. */
async function findReuse(
  { step, fresh }: TryCommandOptions,
  { artifact, file, originsWith }: OpenedTry,
): Promise<FoundReuse> {
  const content = await file?.read();
  if (content === undefined) return {};
  const found =
    fresh === true
      ? "--fresh was given"
      : isExpired(content, Date.now())
        ? "they are older than an hour"
        : reuseFor(content.try, artifact, { step, origins: originsWith(content.salt), hash: sha256 });
  if (typeof found !== "string") return { reuse: found, content };
  const { pending } = content;
  const left =
    pending.length === 0
      ? ""
      : ` What that try made is left behind: its teardown (${listed(pending)}) was not run, and will not be.`;
  if (fresh === true && left === "") return { content };
  return {
    content,
    warning: `The outputs of an earlier try are not used, because ${printable(found, 300)}.${left}`,
  };
}

async function showPlan(
  context: CliContext,
  options: TryCommandOptions,
  { opened, given }: { opened: OpenedTry; given: TryOptions },
): Promise<number> {
  const { prepared, resolveSecret } = opened;
  const { requests, error } = await planRequests(prepared, { clock: systemClock, resolveSecret }, given);
  const teardown = teardownOf(opened.artifact.program);
  if (options.json === true)
    writeJson(
      context.stdout,
      {
        schema: "journey-plan/1",
        step: options.step,
        requests,
        reused: given.reuse?.steps ?? [],
        teardown,
        ...(error === undefined ? {} : { error }),
      },
      2,
    );
  else {
    const style = styleFor(context.stdout, context.env);
    for (const line of planLines(requests, style)) writeLine(context.stdout, line);
    if (teardown.length > 0 && options.keep !== true)
      writeLine(context.stdout, `  then the teardown: ${listed(teardown)}`);
    if (error !== undefined)
      writeLine(context.stdout, `  ${style.bad(printable(`${error.code}: ${error.message}`))}`);
    writeLine(context.stdout, "dry run: nothing was sent");
  }
  return error === undefined ? 0 : exitCodeOf({ status: "error", error });
}

async function sendTry(
  context: CliContext,
  options: TryCommandOptions,
  { opened, given, found }: { opened: OpenedTry; given: TryOptions; found: FoundReuse },
): Promise<number> {
  const network = await openTransport(context, options);
  const interrupt = interruptOnce(() => {
    writeLine(
      context.stderr,
      "Interrupted: what the steps made is torn down. Interrupt again to stop at once.",
    );
  });
  try {
    const { prepared, resolveSecret } = opened;
    const deps = { transport: network.transport, clock: systemClock, resolveSecret };
    const keep = options.keep === true;
    const { result, checkpoint } = await tryStep(prepared, deps, {
      ...given,
      keep,
      signal: interrupt.signal,
    });
    const isKept = await keepOutputs(opened, { keep, checkpoint, reuse: found.reuse });
    showTry(context, options, { result, program: opened.artifact.program, isKept, found });
    return exitCodeFor(result);
  } finally {
    network[Symbol.dispose]();
    interrupt[Symbol.dispose]();
  }
}

/** Outputs are worth keeping if no teardown has ended what they name. */
async function keepOutputs(
  { artifact, file, originsWith }: OpenedTry,
  {
    keep,
    checkpoint,
    reuse,
  }: { keep: boolean; checkpoint: Parameters<typeof keepTry>[0] | undefined; reuse: Reuse | undefined },
): Promise<boolean> {
  if (file === undefined) return false;
  const teardown = teardownOf(artifact.program);
  const salt = randomBytes(16).toString("hex");
  const kept =
    checkpoint !== undefined && (keep || teardown.length === 0)
      ? keepTry(checkpoint, artifact, {
          at: reuse?.at ?? Date.now(),
          origins: originsWith(salt),
          hash: sha256,
        })
      : undefined;
  return (
    (kept !== undefined && (await writeKept(file, { salt, pending: teardown, try: kept }))) || removed(file)
  );
}

/** A cache that can't be written is none: the next try repeats the steps. */
async function writeKept(file: KeptFile, content: KeptContent): Promise<boolean> {
  try {
    return await file.write(content);
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

async function removed(file: KeptFile): Promise<false> {
  await file.remove();
  return false;
}

function exitCodeFor(result: TryResult): number {
  const { status, error } = result;
  if (status === "aborted") return exitCodeOf({ status });
  const isPassed = triedStep(result)?.status === "passed";
  if (isPassed) return exitCodeOf({ status: "passed" });
  return error === undefined ? exitCodeOf({ status: "failed" }) : exitCodeOf({ status: "error", error });
}
