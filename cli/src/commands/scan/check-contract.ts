import type { ApiConnection } from "../../api/api-client.ts";
import type { CliContext } from "../../framework/context.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { relativePath } from "../../lib/workspace-root.ts";
import { filesOnDisk } from "../../openapi/read-source.ts";
import type { SpecReading } from "../../openapi/read-spec.ts";
import type { ContractCheck } from "../contract/contract-check.ts";
import { connectOrNone } from "./connect-or-none.ts";
import type { ScanSettings } from "./settings.ts";

/** Compares a description with the current run of the service. */
export type CheckContract = (reading: SpecReading, service: string) => Promise<ContractCheck | undefined>;

/**
 * Returns the comparison of scans with their services' current runs, before they are sent; undefined if nobody asked for it: no gate, and
 * no summary that would show it. It fails no scan. Without a gate it makes no second attempt, and each request is given up after
 * `checkMs`.
 */
export function contractChecker(
  context: CliContext,
  reporter: Reporter,
  settings: ScanSettings,
): CheckContract | undefined {
  const isGate = settings.gates?.contract !== undefined;
  if (settings.dryRun || (!isGate && settings.summaryFiles.length === 0)) return undefined;
  let isTriedOnce = !isGate;
  return async (reading, service) => {
    const connection = await connectOrNone(context, reporter, settings);
    // Sending the scan says what is wrong with the address or the key.
    if (connection === undefined) return undefined;
    const { compareWithCurrent } = await import("../contract/compare-with-current.ts");
    reporter.progress("Comparing with the current run…");
    const scanned = {
      reading,
      isPart: settings.selection !== undefined,
      files: filesOnDisk(),
      naming: namingOf(reading, settings, context.cwd),
    };
    const { contract } = settings;
    const check = await compareWithCurrent(isTriedOnce ? onceOnly(connection) : connection, {
      service,
      scanned,
      contract,
      // As the server has it: a run that becomes current replaces the one that is.
      baseBranch: settings.promote ? undefined : settings.source.baseBranch,
    });
    // A server that is down was waited for once: the descriptions of other services only try.
    isTriedOnce ||= check.status === "not_compared" && check.reason === "unavailable";
    return check;
  };
}

function onceOnly(connection: ApiConnection): ApiConnection {
  const { times } = connection;
  const attemptMs = Math.min(times.attemptMs, times.checkMs);
  return { ...connection, times: { ...times, attemptsMax: 1, attemptMs, totalMs: attemptMs } };
}

function namingOf(
  { source }: SpecReading,
  { spec, stdinName }: Pick<ScanSettings, "spec" | "stdinName">,
  cwd: string,
) {
  const isUnnamed = spec === STDIN_NAME && stdinName === undefined;
  return {
    nameOf: (file: string) =>
      isUnnamed && file === source.file ? "standard input" : relativePath(cwd, file),
    isOnDisk: (file: string) => !isUnnamed || file !== source.file,
  };
}
