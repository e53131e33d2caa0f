import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import type { Description } from "@waymark/contract-diff/read/description.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { textWithLines } from "@waymark/contract-diff/report/locate-verdicts.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { VERDICTS_MAX } from "@waymark/shared/scans/comparisons/schema.ts";
import {
  type ComparedTexts,
  packVerdicts,
  toStoredPart,
  toStoredVerdict,
} from "../../lib/stored-verdicts.ts";
import type { Work } from "./messages.ts";
import type { Session } from "./session.ts";

const FINGERPRINTS_MAX = 10_000;
const NOT_COMPARED_MAX = 100;

/** Compares two descriptions, and returns the verdicts as they are stored. */
export async function compare(
  { access }: Session,
  { base, head, bytesMax, today }: Work["compare"]["document"],
): Promise<ComparedTexts> {
  const load = async (path: string): Promise<Description> => {
    const text = Buffer.from((await access.read(path, bytesMax)) ?? Buffer.of()).toString("utf8");
    const document = await parseDocument(text, path);
    return loadDescription({ text: textWithLines(text), document, name: path });
  };
  // One after the other, so that only one of the parsers' trees is there at a time.
  const before = await load(base);
  const after = await load(head);
  const { verdicts, notCompared } = compareContracts(before, after, { today });
  const count = (level: string) => verdicts.filter((verdict) => verdict.level === level).length;
  const stored = verdicts.slice(0, VERDICTS_MAX).map(toStoredVerdict);
  return {
    counts: { breaking: count("breaking"), maybe: count("maybe"), safe: count("safe") },
    notCompared: notCompared.slice(0, NOT_COMPARED_MAX).map(toStoredPart),
    verdictCount: stored.length,
    verdictParts: packVerdicts(stored),
    fingerprints: verdicts.slice(0, FINGERPRINTS_MAX).map(({ fingerprint }) => fingerprint),
  };
}
