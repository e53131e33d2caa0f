import path from "node:path";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { findApiKey, keyComesFromStdin } from "../../api-key.ts";
import type { CliContext } from "../../context.ts";
import { type Destination, destinationFrom, given, pluginsAllowed } from "../../config.ts";
import { usageError } from "../../lib/cli-error.ts";
import { API_KEY_REQUIRED, type ConnectionFlags, readCertificate } from "../connection-flags.ts";
import type { ProjectFile } from "../../parse-project-file.ts";
import { readProjectFile } from "../../project-file.ts";

/** The options of `waymark scan` as given. */
export interface ScanFlags extends ConnectionFlags {
  service: string | undefined;
  spec: string | undefined;
  lint: boolean | undefined;
  rules: string | undefined;
  allowPlugins: boolean | undefined;
  failOn: string | undefined;
  newOnly: boolean | undefined;
  failOnRemoved: boolean | undefined;
  wait: boolean | undefined;
  waitTimeout: string | undefined;
  spool: string | undefined;
  onUploadError: string | undefined;
  allowOutside: boolean | undefined;
  dryRun: boolean | undefined;
  json: boolean | undefined;
  quiet: boolean | undefined;
  reportSarif: string | undefined;
}

export interface Gates {
  failOn: Severity | undefined;
  newOnly: boolean;
  failOnRemoved: boolean;
}

export interface ScanSettings {
  service: string;
  /** A path as the user wrote it, or `-`. */
  spec: string;
  /** Undefined only in a dry run. */
  apiKey: string | undefined;
  destination: Destination;
  extraCa: string | undefined;
  lint: { rulesFile: string | undefined; allowPlugins: boolean } | undefined;
  /** Undefined without gates. */
  gates: Gates | undefined;
  /** Seconds to wait for the run to complete; undefined not to wait. */
  waitSeconds: number | undefined;
  spoolFolder: string | undefined;
  warnOnUploadError: boolean;
  allowOutside: boolean;
  dryRun: boolean;
  json: boolean;
  quiet: boolean;
  sarifFile: string | undefined;
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
  return {
    ...requireBasics(flags, file, apiKey),
    apiKey,
    destination: destinationFrom(flags, context.env, file.url),
    extraCa: await readCertificate(context.cwd, flags.caCert),
    lint: settleLint(context, flags, file, gates),
    gates,
    waitSeconds: settleWait(flags, gates),
    spoolFolder: resolveIn(context, given(flags.spool)),
    warnOnUploadError: settleUploadError(flags),
    allowOutside: flags.allowOutside ?? false,
    dryRun: flags.dryRun ?? false,
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    sarifFile: resolveIn(context, given(flags.reportSarif)),
  };
}

function findKeyFor(context: CliContext, flags: ScanFlags): Promise<string | undefined> {
  if (keyComesFromStdin(flags) && flags.spec === "-") {
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

function resolveGates(flags: ScanFlags, file: ProjectFile): Gates | undefined {
  const failOn = flags.failOn ?? file.gates?.failOn;
  const newOnly = flags.newOnly ?? file.gates?.newOnly ?? false;
  const failOnRemoved = flags.failOnRemoved ?? file.gates?.failOnRemoved ?? false;
  if (failOn === undefined) {
    if (newOnly) throw usageError("--new-only needs --fail-on <severity>.");
    return failOnRemoved ? { failOn: undefined, newOnly, failOnRemoved } : undefined;
  }
  const severity = SEVERITIES.find((one) => one === failOn);
  if (severity === undefined) throw usageError(`--fail-on must be one of ${SEVERITIES.join(", ")}.`);
  return { failOn: severity, newOnly, failOnRemoved };
}

// A gate on findings would always pass without linting, so it enables linting.
function settleLint(
  context: CliContext,
  flags: ScanFlags,
  file: ProjectFile,
  gates: Gates | undefined,
): ScanSettings["lint"] {
  const rulesFile = resolveIn(context, given(flags.rules) ?? given(file.rules));
  const asked =
    flags.lint ?? (flags.rules !== undefined || file.lint === true || gates?.failOn !== undefined);
  if (!asked && gates?.failOn === undefined) {
    if (flags.reportSarif !== undefined) throw usageError("--report-sarif needs findings: also pass --lint.");
    return undefined;
  }
  if (!asked) throw usageError("--fail-on needs findings, so it can't be combined with --no-lint.");
  return { rulesFile, allowPlugins: pluginsAllowed(flags.allowPlugins, context.env) };
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
