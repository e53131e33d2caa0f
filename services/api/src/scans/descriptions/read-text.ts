import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { DocumentLimit } from "@waymark/server/journeys/compiler/compiler-child.ts";
import type { DescribedText } from "@waymark/server/journeys/compiler/messages.ts";
import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import { sha256OfDigest } from "@waymark/shared/scans/descriptions/schema.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { headerError } from "../../lib/zod-routes.ts";

export type ReadText = Extract<DescribedText, { ok: true }>;

/**
 * Reads a description in another process, which is ended if that takes too long or too much memory.
 *
 * @param digest the value of `Repr-Digest`, which the text must have
 * @throws AppError `validation_failed` with the places of the faults, or `service_unavailable`
 */
export async function readText(
  compiler: Compiler,
  text: { organizationId: string; bytes: Buffer; bytesMax: number; digest: string | undefined },
): Promise<ReadText> {
  const { organizationId, bytes, bytesMax, digest } = text;
  const document = { path: "description", bytesMax, operationsMax: SCAN_LIMITS.endpointsMax };
  const read = async () => bytes;
  const [described] = await compiler.run("describe", { organizationId, documents: [document], read });
  if (described === undefined || described instanceof DocumentLimit) {
    const reason = described?.message ?? "it was not reached";
    throw refused(`reading it was given up, because ${reason}. JSON takes less than YAML.`, []);
  }
  if (!described.ok) {
    const [first] = described.faults;
    const place = first === undefined || first.path === "" ? "the text" : first.path;
    throw refused(`${place} ${first?.message ?? "can't be read"}.`, described.faults);
  }
  const hash = Buffer.from(described.hash, "hex").toString("base64");
  if (digest !== undefined && sha256OfDigest(digest) !== hash) {
    throw headerError([
      { code: "custom", path: ["repr-digest"], message: "is not the hash of the text", input: undefined },
    ]);
  }
  return described;
}

function refused(why: string, faults: readonly { path: string; message: string }[]): AppError {
  const details = faults.slice(0, ERROR_DETAILS_MAX);
  return new AppError("validation_failed", `The description can't be stored: ${why}`, { data: { details } });
}
