import path from "node:path";
import { SCAN_LIMITS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { tidyServiceName } from "@waymark/shared/lib/service-name.ts";
import type { CliContext } from "../../framework/context.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import type { ForeignFindings } from "../../findings/foreign-findings.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { plural } from "../../lib/text.ts";
import type { LocatedFinding } from "../../openapi/located-finding.ts";
import { checkLimits } from "../../openapi/check-limits.ts";
import type { Shortened } from "../../openapi/to-endpoint.ts";
import type { ContractCheck } from "../contract/contract-check.ts";
import type { CheckContract } from "./check-contract.ts";
import { readDescription } from "./read-description.ts";
import {
  applyPolicy,
  describeLeftOut,
  leaveOut,
  NO_RULES,
  type ReadPolicy,
  type SeverityPolicy,
} from "./severity-policy.ts";
import { serviceNameOf } from "./service-name.ts";
import type { ScanSettings } from "./settings.ts";

export interface PreparedScan {
  /** The path of the description as the user wrote it or as its pattern found it. */
  spec: string;
  payload: ScanIngestionPayload;
  /** All findings, including those beyond the limit of a scan. */
  findings: LocatedFinding[];
  lintFailures: string[];
  /** Parts of the description and its findings that the scan leaves out, one sentence each. */
  omissions: string[];
  /** The folder of the description; for standard input, the working directory. */
  specFolder: string;
  shortened: Shortened;
  /** The comparison of the description with the service's current run; undefined if nobody asked for it. */
  check: ContractCheck | undefined;
  /** The bytes of standard input, which can't be read again, if the description came from there. */
  stdin: Buffer | undefined;
}

/** The parts of preparing a scan that are only sometimes asked for. */
export interface PrepareOptions {
  checkContract?: CheckContract | undefined;
  /** The findings of other tools. */
  foreign?: ForeignFindings | undefined;
  readPolicy?: ReadPolicy | undefined;
}

/** Reads the spec, lints it and compares it with the current run if requested, and builds a valid scan. */
export async function prepareScan(
  context: CliContext,
  reporter: Reporter,
  settings: ScanSettings,
  { checkContract, foreign, readPolicy }: PrepareOptions = {},
): Promise<PreparedScan> {
  const { spec, serviceFrom } = settings;
  const reading = await readDescription(context, reporter, settings);
  const { title } = reading.spec;
  const service =
    serviceFrom === undefined || serviceFrom === "list"
      ? settings.service
      : tidyServiceName(serviceNameOf(serviceFrom, { spec, cwd: context.cwd, title }));
  const found = [...reading.findings, ...(foreign?.takeFor(reading) ?? [])];
  const policy = (found.length === 0 ? undefined : await readPolicy?.()) ?? NO_RULES;
  const findings = mostSevereFirst(applySeverities(reporter, settings, { policy, found }));
  const omissions = [...reading.notes, ...(foreign?.failures ?? [])];
  const leftOut = findings.length - SCAN_LIMITS.findingsMax;
  if (leftOut > 0) {
    omissions.push(
      `${plural(leftOut, "finding")} left out: a scan holds ${SCAN_LIMITS.findingsMax}, the most severe are sent.`,
    );
  }
  for (const omission of omissions) reporter.omission(omission);
  const payload: ScanIngestionPayload = {
    service: { name: service },
    spec: reading.spec,
    endpoints: reading.endpoints,
    findings: findings
      .slice(0, SCAN_LIMITS.findingsMax)
      .map(({ code, severity, message, method, path: template }) => ({
        code,
        severity,
        message,
        method,
        path: template,
      })),
  };
  await checkLimits(payload);
  const specFolder = path.dirname(reading.source.file);
  const lintFailures = [...reading.lintFailures, ...(foreign?.failures ?? [])];
  const { shortened, bytes } = reading;
  const stdin = settings.spec === STDIN_NAME ? bytes : undefined;
  const check = await checkContract?.(reading, service);
  return { spec, payload, findings, lintFailures, omissions, shortened, specFolder, check, stdin };
}

/** Applies the organization's policy, and leaves out what the repository turns off. Notes say how many findings that are. */
function applySeverities(
  reporter: Reporter,
  { lint, foreign }: ScanSettings,
  { policy, found }: { policy: SeverityPolicy; found: readonly LocatedFinding[] },
): LocatedFinding[] {
  const judged = applyPolicy(policy, found);
  if (judged.leftOut > 0)
    reporter.note(describeLeftOut(judged.leftOut, "the organization's severity policy"));
  const own = lint ?? foreign;
  if (own === undefined) return judged.findings;
  const kept = leaveOut(policy, own, judged.findings);
  if (kept.leftOut > 0) reporter.note(describeLeftOut(kept.leftOut, "this scan"));
  return kept.findings;
}

/** Sorts findings by severity; those of one severity keep their order. */
export function mostSevereFirst(findings: readonly LocatedFinding[]): LocatedFinding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));
}
