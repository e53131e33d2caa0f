import type { OptionsOf } from "../../framework/base-command.ts";
import type { ScanCommand } from "../scan.ts";
import path from "node:path";
import { findNamedKey, keyComesFromStdin } from "../../framework/api-key.ts";
import { decidePromotion, lacksDefaultBranch, type Promotion } from "../../ci/promotion.ts";
import type { ApiKey } from "../../api/api-client.ts";
import type { CliContext } from "../../framework/context.ts";
import { type Destination, destinationFrom, given } from "../../lib/config.ts";
import { usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { API_KEY_REQUIRED, readCertificate } from "../../framework/connection-flags.ts";
import { type Credentials, findCredentials } from "../../framework/credentials.ts";
import { identityHint } from "../../framework/identity-hint.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import { readProjectFile } from "../../framework/project-file.ts";
import { type Selection, settleSelection } from "../../openapi/select-operations.ts";
import { settleStdinName } from "../../openapi/stdin-name.ts";
import { jobSummaryFile } from "../../report/github.ts";
import type { ReportFile } from "../../report/report-files.ts";
import { type Gates, resolveGates } from "./gate-settings.ts";
import { type OutputFormat, settleFormat } from "../../framework/output-format.ts";
import { type ForeignSettings, settleForeign } from "./foreign-reports.ts";
import { type LintSettings, settleLint } from "./lint-settings.ts";
import { reportFlagOf, settleReports } from "./report-settings.ts";
import { type ListedService, listServices } from "./listed-services.ts";
import { SERVICE_SOURCES, type ServiceSource } from "./service-name.ts";
import { isPattern } from "./spec-files.ts";
import type { SubmittedSource } from "@waymark/shared/scans/source/schema.ts";
import { tidyServiceName } from "@waymark/shared/lib/service-name.ts";

/** The options of `waymark scan` as given. */
export type ScanFlags = OptionsOf<ScanCommand>;

export interface ScanSettings {
  /** The service's name; empty until the description is read, if that gives it. */
  service: string;
  /** The source of each service's name; undefined for one description of a named service. */
  serviceFrom: ServiceSource | "list" | undefined;
  /** The descriptions with the names of their services; undefined unless they are listed. */
  listed: readonly ListedService[] | undefined;
  /** A path as the user wrote it, or `-`; with `serviceFrom` also a pattern. */
  spec: string;
  /** The path of the description that standard input provides. */
  stdinName: string | undefined;
  /** Undefined only in a dry run. */
  apiKey: ApiKey | undefined;
  destination: Destination;
  extraCa: string | undefined;
  lint: LintSettings | undefined;
  /** The reports of other tools; undefined without any. */
  foreign: ForeignSettings | undefined;
  /** Undefined without gates. */
  gates: Gates | undefined;
  /** The team that owns the service: its slug or one of its handles, as `waymark.yaml` has it. */
  owner: string | undefined;
  /** The decisions about findings in `waymark.yaml`. */
  decisions: NonNullable<ProjectFile["decisions"]>;
  /** A team's rules for changes of contracts. */
  contract: ProjectFile["contract"];
  /** True if the run becomes the service's current one, if its gates pass. */
  promote: boolean;
  /** The reason for that, as a note says it. */
  promotionNote: string | undefined;
  /** Decides that by a default branch that the server knows; undefined if the build, `waymark.yaml` or an option has said enough. */
  decideWith: ((defaultBranch: string) => Promotion) | undefined;
  source: SubmittedSource;
  /** Seconds to wait for the run to complete; undefined not to wait. */
  waitSeconds: number | undefined;
  /** True if the description is stored, too. */
  storesDescription: boolean;
  spoolFolder: string | undefined;
  warnOnUploadError: boolean;
  allowOutside: boolean;
  /** Undefined for all operations. */
  selection: Selection | undefined;
  dryRun: boolean;
  format: OutputFormat;
  quiet: boolean;
  reports: ReportFile[];
  /** Files that get a summary in Markdown: that of the GitHub job, and the one that was asked for. */
  summaryFiles: string[];
}

const WAIT_SECONDS_DEFAULT = 300;

/**
 * Resolves the settings of a scan: option over environment over `waymark.yaml` over default.
 * @throws {CliError} for missing settings, all at once, and for contradictory ones
 */
export async function resolveScanSettings(context: CliContext, flags: ScanFlags): Promise<ScanSettings> {
  const file = await readProjectFile(context);
  const { key, destination } = await credentialsFor(context, flags, file);
  const apiKey = key?.apiKey;
  const gates = resolveGates(flags, file);
  const foreign = settleForeign(flags, file);
  const listed = await listServices(context, flags, file);
  return {
    ...requireBasics(context, flags, { file, apiKey, listed }),
    stdinName: settleStdinName(context.cwd, flags.stdinName),
    apiKey,
    destination,
    extraCa: await readCertificate(context.cwd, flags.caCert),
    lint: settleLint(
      context,
      { ...flags, reportFlag: findingsFlagOf(flags, gates), hasReports: foreign !== undefined },
      file,
      gates,
    ),
    foreign,
    gates,
    owner: (listed?.length === 1 ? listed[0]?.owner : undefined) ?? file.owner,
    decisions: file.decisions ?? [],
    contract: file.contract,
    ...(await settleSource(context, flags, file)),
    waitSeconds: settleWait(flags, gates),
    storesDescription: flags.storesDescription ?? file.description ?? true,
    spoolFolder: resolveIn(context, given(flags.spool)),
    warnOnUploadError: settleUploadError(flags),
    allowOutside: flags.allowOutside ?? false,
    selection: settleSelection(flags),
    dryRun: flags.dryRun ?? false,
    format: settleFormat(flags),
    quiet: flags.quiet ?? false,
    reports: settleReports(context.cwd, flags),
    summaryFiles: [jobSummaryFile(context.env), resolveIn(context, given(flags.summary))].filter(
      (summary) => summary !== undefined,
    ),
  };
}

/** Returns the option of a report that would be empty without findings: with a gate on changes, reports have these. */
function findingsFlagOf(flags: ScanFlags, gates: Gates | undefined): string | undefined {
  return gates?.contract === undefined ? reportFlagOf(flags) : undefined;
}

async function settleSource(
  context: CliContext,
  flags: ScanFlags,
  file: ProjectFile,
): Promise<Pick<ScanSettings, "source" | "promote" | "promotionNote" | "decideWith">> {
  // Nothing is sent, so where the description comes from is not looked up.
  if (flags.dryRun === true)
    return { source: {}, promote: false, promotionNote: undefined, decideWith: undefined };
  const { findSource, submittedSource } = await import("../../ci/source.ts");
  const source = await findSource(context);
  const named = given(file.defaultBranch);
  const decideWith = (defaultBranch: string | undefined) =>
    decidePromotion(source, { asked: flags.promote, defaultBranch });
  const { promote, note } = decideWith(named);
  const isOpen = flags.promote === undefined && named === undefined && lacksDefaultBranch(source);
  return {
    source: submittedSource(source, { defaultBranch: named, longLivedBranches: file.longLivedBranches }),
    promote,
    promotionNote: note,
    decideWith: isOpen ? decideWith : undefined,
  };
}

async function credentialsFor(
  context: CliContext,
  flags: ScanFlags,
  file: ProjectFile,
): Promise<Credentials> {
  if (keyComesFromStdin(flags) && flags.spec === STDIN_NAME) {
    throw usageError("Standard input can provide the spec or the API key, not both.");
  }
  if (flags.dryRun !== true) return findCredentials(context, flags, file.url);
  // Nothing is sent, so a key that is stored for the server is not looked for.
  const key = await findNamedKey(context, flags);
  return { key, destination: destinationFrom(flags, context.env, file.url) };
}

// Reports all missing settings at once, so that fixing a pipeline takes one run.
function requireBasics(
  context: CliContext,
  flags: ScanFlags,
  {
    file,
    apiKey,
    listed,
  }: { file: ProjectFile; apiKey: ApiKey | undefined; listed: readonly ListedService[] | undefined },
) {
  const only = listed?.length === 1 && flags.discover !== true ? listed[0] : undefined;
  const serviceFrom: ScanSettings["serviceFrom"] =
    listed === undefined ? settleServiceFrom(flags, file) : only === undefined ? "list" : undefined;
  const named = [flags.service, only?.service, file.service].find((value) => given(value) !== undefined);
  const service = serviceFrom === undefined ? named && tidyServiceName(named) : "";
  const spec = given(flags.spec) ?? only?.spec ?? (listed === undefined ? given(file.spec) : "");
  const missing: string[] = [];
  if (apiKey === undefined && flags.dryRun !== true) {
    missing.push(API_KEY_REQUIRED);
  }
  if (spec === undefined) missing.push("--spec is required: pass the path of an OpenAPI JSON or YAML file.");
  if (service === undefined) missing.push("--service is required: pass the name of the service to scan.");
  const [first, ...details] = missing;
  if (first !== undefined || spec === undefined || service === undefined) {
    const hint = first === API_KEY_REQUIRED ? identityHint(context.env) : [];
    throw usageError(first ?? "", { details: [...hint, ...details] });
  }
  if (serviceFrom === undefined && isPattern(context.cwd, spec)) {
    throw usageError(
      `There is no file ${spec}. To scan every file that matches it, each as a service, pass --service-from title or --service-from file.`,
    );
  }
  return { service, serviceFrom, spec, listed: only === undefined ? listed : undefined };
}

function settleServiceFrom(flags: ScanFlags, file: ProjectFile): ServiceSource | undefined {
  const asked = given(flags.serviceFrom);
  const name = given(flags.service);
  if (asked !== undefined && name !== undefined) {
    throw usageError(
      "--service names one service, and --service-from one for each description: pass only one of them.",
    );
  }
  const wanted = asked ?? (name === undefined ? file.serviceFrom : undefined);
  if (wanted === undefined) return undefined;
  const source = SERVICE_SOURCES.find((each) => each === wanted);
  if (source === undefined) throw usageError("--service-from must be title or file.");
  return source;
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
