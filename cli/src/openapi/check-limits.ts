import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { serviceNameProblem } from "@waymark/shared/lib/service-name.ts";
import { usageError } from "../lib/cli-error.ts";

/**
 * Validates a scan before anything is sent.
 * @throws {CliError} with each exceeded limit, the value and its location in the spec
 */
export async function checkLimits(payload: ScanIngestionPayload): Promise<void> {
  const count = payload.endpoints.length;
  if (count > SCAN_LIMITS.endpointsMax) {
    throw usageError(
      `The spec has ${count} operations under "paths", a scan holds at most ${SCAN_LIMITS.endpointsMax}. ` +
        `Select some with --include-path, --exclude-path or --tag, here or for waymark minify, which writes the part to a file, and ` +
        `scan each part as a service of its own.`,
    );
  }
  if (passesFastPath(payload)) return;
  const { explainLimits } = await import("./explain-limits.ts");
  const details = explainLimits(payload);
  if (details.length > 0) {
    throw usageError("The spec exceeds the limits of a scan. Nothing was sent:", { details });
  }
}

/**
 * True only for scans that the schemas accept too, which then needn't be loaded: a dry run takes 87 ms of processor time
 * instead of 111 ms, and for a spec of 1.5 MB 328 ms instead of 410 ms (median of 9). False means that the schemas must
 * decide. Counts UTF-16 units: a text never has fewer units than characters.
 */
export function passesFastPath({ service, spec, endpoints, findings }: ScanIngestionPayload): boolean {
  return (
    service.name !== "" &&
    fits(service.name, SCAN_LIMITS.serviceNameMax) &&
    serviceNameProblem(service.name) === undefined &&
    spec.hash.length === SCAN_LIMITS.specHashLength &&
    /^[0-9a-f]*$/.test(spec.hash) &&
    fits(spec.version ?? "", SCAN_LIMITS.specVersionMax) &&
    fits(spec.title ?? "", SCAN_LIMITS.specTitleMax) &&
    endpoints.length <= SCAN_LIMITS.endpointsMax &&
    findings.length <= SCAN_LIMITS.findingsMax &&
    endpoints.every(
      ({ path, operationId, tags, summary }) =>
        fits(path, SCAN_LIMITS.pathMax) &&
        fits(operationId ?? "", SCAN_LIMITS.operationIdMax) &&
        fits(summary ?? "", SCAN_LIMITS.summaryMax) &&
        tags.length <= SCAN_LIMITS.tagsMax &&
        tags.every((tag) => fits(tag, Number.POSITIVE_INFINITY)),
    ) &&
    findings.every(
      ({ code, message, path }) =>
        fits(code, SCAN_LIMITS.codeMax) &&
        fits(message, SCAN_LIMITS.messageMax) &&
        fits(path ?? "", SCAN_LIMITS.pathMax),
    )
  );
}

function fits(text: string, max: number): boolean {
  return text.length <= max && !text.includes("\0") && text.isWellFormed();
}
