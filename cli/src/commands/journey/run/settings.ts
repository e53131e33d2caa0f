import { isReportFormat, REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import type { ReportFormat } from "@waymark/journeys/report/formats.ts";
import { given } from "../../../lib/config.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";
import type { UploadOptions } from "../upload/uploader.ts";
import { readAssignments } from "../assignments.ts";
import type { CompileRequest } from "../files/compile-files.ts";

/** The command line of `run`. */
export interface RunCommandOptions extends Omit<CompileRequest, "file"> {
  files: readonly string[];
  input: readonly string[];
  inputs: string | undefined;
  data: string | undefined;
  secret: readonly string[];
  server: readonly string[];
  parallel: string | undefined;
  bail: boolean | undefined;
  strictContract: boolean | undefined;
  followRedirects: boolean | undefined;
  timeout: string | undefined;
  seed: string | undefined;
  report: readonly string[];
  caCert: string | undefined;
  forbidPrivate: boolean | undefined;
  quiet: boolean | undefined;
  verbose: boolean | undefined;
}

/** The options of a run, with those that need the server. */
export interface LocalRunOptions extends RunCommandOptions, UploadOptions {
  replay: string | undefined;
}

export interface Report {
  format: ReportFormat;
  file: string;
}

/** The settings of the command line, checked before anything is read or run. */
export interface RunSettings {
  servers: Record<string, string>;
  parallel: number;
  timeoutMs: number | undefined;
  seed: string | undefined;
  reports: Report[];
  show: "steps" | "failures" | "summary";
}

const PARALLEL_MAX = 100;
const TIMEOUT_SECONDS_MAX = 24 * 3600;

/** @throws {CliError} for settings that are out of range or malformed */
export function runSettings(context: Pick<CliContext, "env">, options: RunCommandOptions): RunSettings {
  const servers = Object.fromEntries(
    [...readAssignments("--server", options.server)].map(([name, url]) => [name, serverUrl(name, url)]),
  );
  const seconds = wholeNumber("--timeout", options.timeout, TIMEOUT_SECONDS_MAX);
  return {
    servers,
    parallel: wholeNumber("--parallel", options.parallel, PARALLEL_MAX) ?? 1,
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    seed: readSeed(options.seed),
    reports: readReports(options.report),
    show: shown(context, options),
  };
}

function shown({ env }: Pick<CliContext, "env">, { quiet, verbose }: RunCommandOptions): RunSettings["show"] {
  if (quiet === true) return "failures";
  if (verbose === true) return "steps";
  const ci = given(env["CI"])?.toLowerCase();
  return ci === undefined || ci === "false" || ci === "0" ? "steps" : "summary";
}

function serverUrl(name: string, url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw usageError(`--server ${printable(name, 60)} must be an http:// or https:// address.`);
}

function wholeNumber(option: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw usageError(`${option} must be a whole number from 1 to ${max}.`);
  return value;
}

function readSeed(text: string | undefined): string | undefined {
  if (text === undefined || /^[\w.-]{1,100}$/.test(text)) return text;
  throw usageError("--seed takes letters, digits, '.', '-' and '_': give the seed that a result names.");
}

/** @throws {CliError} for a report that has no format or file */
export function readReports(texts: readonly string[]): Report[] {
  const reports = texts.map((text) => {
    const [format = "", ...rest] = text.split("=");
    const file = rest.join("=");
    if (!isReportFormat(format) || file === "") {
      throw usageError(`--report takes format=path; the formats are ${REPORT_FORMATS.join(", ")}.`);
    }
    return { format, file };
  });
  const twice = reports.find(({ file }, at) => reports.findIndex((other) => other.file === file) !== at);
  if (twice !== undefined)
    throw usageError(`Two reports go to ${printable(twice.file, 200)}: give each a file.`);
  return reports;
}
