import path from "node:path";
import { findApiKey, keyComesFromStdin } from "../../api-key.ts";
import type { CliContext } from "../../context.ts";
import { type Destination, destinationFrom, given } from "../../config.ts";
import { usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { API_KEY_REQUIRED, type ConnectionFlags, readCertificate } from "../connection-flags.ts";
import type { ProjectFile } from "../../parse-project-file.ts";
import { readProjectFile } from "../../project-file.ts";
import type { Selection } from "../../openapi/select-operations.ts";
import type { ReportFile } from "../../report/report-files.ts";
import { type Gates, resolveGates } from "./gate-settings.ts";
import { type LintSettings, settleLint } from "./lint-settings.ts";
import { reportFlagOf, settleReports } from "./report-settings.ts";
import { pullRequestBuild } from "./pull-request.ts";

/** The options of `waymark scan` as given. */
export interface ScanFlags extends ConnectionFlags {
  service: string | undefined;
  spec: string | undefined;
  lint: boolean | undefined;
  rules: string | undefined;
  severity: readonly string[];
  allowPlugins: boolean | undefined;
  failOn: string | undefined;
  newOnly: boolean | undefined;
  failOnRemoved: boolean | undefined;
  promote: boolean | undefined;
  includePath: readonly string[];
  excludePath: readonly string[];
  tag: readonly string[];
  wait: boolean | undefined;
  waitTimeout: string | undefined;
  spool: string | undefined;
  onUploadError: string | undefined;
  allowOutside: boolean | undefined;
  dryRun: boolean | undefined;
  json: boolean | undefined;
  quiet: boolean | undefined;
  reportSarif: string | undefined;
  reportJunit: string | undefined;
  reportCodequality: string | undefined;
}

export interface ScanSettings {
  service: string;
  /** A path as the user wrote it, or `-`. */
  spec: string;
  /** Undefined only in a dry run. */
  apiKey: string | undefined;
  destination: Destination;
  extraCa: string | undefined;
  lint: LintSettings | undefined;
  /** Undefined without gates. */
  gates: Gates | undefined;
  /** Whether the run becomes the service's current one, once its gates hold. */
  promote: boolean;
  /** The CI system whose build of a pull request this is, if that decided `promote`. */
  pullRequestOf: string | undefined;
  /** Seconds to wait for the run to complete; undefined not to wait. */
  waitSeconds: number | undefined;
  spoolFolder: string | undefined;
  warnOnUploadError: boolean;
  allowOutside: boolean;
  /** Undefined for all operations. */
  selection: Selection | undefined;
  dryRun: boolean;
  json: boolean;
  quiet: boolean;
  reports: ReportFile[];
}

const WAIT_SECONDS_DEFAULT = 300;

/**
 * Resolves the settings of a scan: option over environment over `waymark.yaml` over default.
 * @throws {CliError} for missing settings, all at once, and for contradictory ones
 */
export async function resolveScanSettings(context: CliContext, flags: ScanFlags): Promise<ScanSettings> {
  const file = await readProjectFile(context.cwd);
  const apiKey = await findKeyFor(context, flags);
  const gates = resolveGates(flags, file);
  const pullRequestOf = flags.promote === undefined ? pullRequestBuild(context.env) : undefined;
  return {
    ...requireBasics(flags, file, apiKey),
    apiKey,
    destination: destinationFrom(flags, context.env, file.url),
    extraCa: await readCertificate(context.cwd, flags.caCert),
    lint: settleLint(context, { ...flags, reportFlag: reportFlagOf(flags) }, file, gates),
    gates,
    promote: flags.promote ?? pullRequestOf === undefined,
    pullRequestOf,
    waitSeconds: settleWait(flags, gates),
    spoolFolder: resolveIn(context, given(flags.spool)),
    warnOnUploadError: settleUploadError(flags),
    allowOutside: flags.allowOutside ?? false,
    selection: settleSelection(flags),
    dryRun: flags.dryRun ?? false,
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    reports: settleReports(context.cwd, flags),
  };
}

function findKeyFor(context: CliContext, flags: ScanFlags): Promise<string | undefined> {
  if (keyComesFromStdin(flags) && flags.spec === STDIN_NAME) {
    throw usageError("Standard input can provide the spec or the API key, not both.");
  }
  return findApiKey(context, flags);
}

// Reports all missing settings at once, so that fixing a pipeline takes one run.
function requireBasics(flags: ScanFlags, file: ProjectFile, apiKey: string | undefined) {
  const service = [flags.service, file.service].find((value) => given(value) !== undefined);
  const spec = given(flags.spec) ?? given(file.spec);
  const missing: string[] = [];
  if (apiKey === undefined && flags.dryRun !== true) {
    missing.push(API_KEY_REQUIRED);
  }
  if (spec === undefined) missing.push("--spec is required: pass the path of an OpenAPI JSON or YAML file.");
  if (service === undefined) missing.push("--service is required: pass the name of the service to scan.");
  const [first, ...details] = missing;
  if (first !== undefined || spec === undefined || service === undefined) {
    throw usageError(first ?? "", { details });
  }
  return { service, spec };
}

function settleSelection({ includePath, excludePath, tag }: ScanFlags): Selection | undefined {
  if (includePath.length + excludePath.length + tag.length === 0) return undefined;
  return { includePaths: includePath, excludePaths: excludePath, tags: tag };
}

function settleWait(flags: ScanFlags, gates: Gates | undefined): number | undefined {
  const seconds = flags.waitTimeout === undefined ? WAIT_SECONDS_DEFAULT : Number(flags.waitTimeout);
  if (!(seconds > 0 && seconds <= 86_400)) throw usageError("--wait-timeout must be a number of seconds.");
  return flags.wait === true || gates !== undefined || flags.waitTimeout !== undefined ? seconds : undefined;
}

function settleUploadError(flags: ScanFlags): boolean {
  const mode = flags.onUploadError ?? "fail";
  if (mode !== "fail" && mode !== "warn") throw usageError("--on-upload-error must be fail or warn.");
  return mode === "warn";
}

function resolveIn(context: CliContext, file: string | undefined): string | undefined {
  return file === undefined ? undefined : path.resolve(context.cwd, file);
}
