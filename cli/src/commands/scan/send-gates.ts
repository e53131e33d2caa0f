import { GATE_LIMITS } from "@waymark/shared/scans/gates/limits.ts";
import type { ScanGatesPayload } from "@waymark/shared/scans/gates/schema.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { putScanGates } from "../../api/scans-api.ts";
import { tryingOnce } from "../../api/try-once.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { cutText, printable } from "../../lib/text.ts";
import type { Gates } from "./gate-settings.ts";
import { type FailedGate, gateNames } from "./gates.ts";
import { noteNotStored } from "./note-not-stored.ts";

/**
 * Stores which gates a run passed and failed. It can't fail the scan, whose result is printed: whatever goes wrong is a note, and one
 * attempt is made.
 */
export async function sendGates(
  connection: ApiConnection,
  reporter: Reporter,
  { scanRunId, gates, failed }: { scanRunId: string; gates: Gates; failed: readonly FailedGate[] },
): Promise<void> {
  try {
    await putScanGates(tryingOnce(connection), scanRunId, verdictOf(gates, failed));
  } catch (error) {
    noteNotStored(reporter, error, "the result of the gates");
  }
}

/** Returns the verdict as the server takes it: every gate once, and the first causes of each. */
function verdictOf(gates: Gates, failed: readonly FailedGate[]): ScanGatesPayload {
  return {
    gates: gateNames(gates).map((gate) => {
      const own = failed.filter((each) => each.gate === gate);
      const causes = own.flatMap((each) => each.causes.map((cause, index) => ({ each, cause, index })));
      return {
        gate,
        passed: own.length === 0,
        causes: causes
          .slice(0, GATE_LIMITS.causesMax)
          .map(({ each, cause, index }) =>
            cutText(
              `${cause}${printable(each.placeOf?.(index) ?? "", GATE_LIMITS.causeMax)}`,
              GATE_LIMITS.causeMax,
            ),
          ),
        causeCount: causes.length,
      };
    }),
  };
}
