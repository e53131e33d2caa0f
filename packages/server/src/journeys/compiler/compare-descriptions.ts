import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { DocumentLimit } from "./compiler-child.ts";
import type { Compiler } from "./compiler.ts";
import type { ComparedTexts } from "../../lib/stored-verdicts.ts";
import { joinTextChunks } from "../../lib/text-chunks.ts";

/** Two descriptions of 20 MB with a change in each of 2,000 schemas take 25 s on busy processors, and 600 MB in all. */
export const COMPARISON_LIMITS = { ms: 60_000, wallMs: 180_000, taskMs: 180_000, memoryMiB: 512 };

interface ComparedDescriptions {
  organizationId: string;
  /** The hashes of the descriptions. */
  base: string;
  head: string;
  /** The day as of which rules judge, as `YYYY-MM-DD`. */
  today: string;
  /** Reads the compressed chunks of a description's text, by its hash. */
  readChunks: (hash: string) => Promise<readonly Buffer[]>;
}

/**
 * Compares the texts of two stored descriptions, outside of this process.
 *
 * @throws DocumentLimit if it takes too long or too much memory, or the process is killed
 * @throws AppError `service_unavailable` if too many tasks wait
 */
export async function compareDescriptions(
  compiler: Pick<Compiler, "run">,
  { organizationId, base, head, today, readChunks }: ComparedDescriptions,
): Promise<ComparedTexts> {
  const hashes = new Map([
    ["base", base],
    ["head", head],
  ]);
  const read = async (path: string) => {
    const hash = hashes.get(path);
    return hash === undefined ? undefined : joinTextChunks(await readChunks(hash));
  };
  const document = { base: "base", head: "head", bytesMax: SCAN_LIMITS.descriptionBytesMax, today };
  const [result] = await compiler.run("compare", { organizationId, documents: [document], read });
  if (result === undefined) throw new Error("the comparison has no result");
  if (result instanceof DocumentLimit) throw result;
  return result;
}
