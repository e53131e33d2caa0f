import type { CliContext } from "../../framework/context.ts";
import { describeFileError } from "../../lib/describe-file-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { type StoredScan, writeStepOutputs } from "../../report/step-outputs.ts";
import type { StoredRun } from "./print-result.ts";
import type { ScanSettings } from "./settings.ts";

/** Sets the step's outputs after each scan that is stored. A failure is reported, and changes nothing else. */
export function outputSetter(
  { env }: CliContext,
  reporter: Reporter,
): (settings: ScanSettings, run: StoredRun) => Promise<void> {
  const stored: StoredScan[] = [];
  return async ({ service, serviceFrom, spec }, run) => {
    stored.push({ service, spec, ...run });
    try {
      await writeStepOutputs(env, stored, { onlyOne: serviceFrom === undefined });
    } catch (error) {
      reporter.omission(`the outputs of the step can't be written: ${describeFileError(error)}.`);
    }
  };
}
