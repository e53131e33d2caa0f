import { ENGINE_VERSION } from "@waymark/contract-diff/engine-version.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { DocumentLimit } from "@waymark/server/journeys/compiler/compiler-child.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { ComparedTexts } from "@waymark/server/lib/stored-verdicts.ts";
import { compareDescriptions } from "@waymark/server/journeys/compiler/compare-descriptions.ts";
import { findScanDescription, readDescriptionChunks } from "@waymark/server/scans/descriptions/queries.ts";
import type { Comparison, NotComparedReason } from "@waymark/shared/scans/comparisons/schema.ts";
import { LRUCache } from "lru-cache";

const CACHE_BYTES_MAX = 32 * 1024 * 1024;
const ENTRY_BYTES = 1024;

/** Two descriptions to compare, by the hashes of their texts. */
interface WantedTexts {
  organizationId: string;
  base: string;
  head: string;
  /** The day as of which rules judge, as `YYYY-MM-DD`. */
  today: string;
}

interface Outcome {
  texts: ComparedTexts | "too_large";
  comparedAt: string;
}

/** How a run compares with any other run. */
export interface OtherComparison {
  comparison: Comparison;
  /** The compressed verdicts. */
  verdictParts: readonly Uint8Array[];
}

/** Compares the descriptions of any two runs when somebody asks. What is found is kept in memory, because it can be found again. */
export interface OtherComparisons {
  /** Finds the descriptions of two runs, or why they can't be compared. */
  find: (
    tx: DatabaseTransactionConnection,
    runs: { organizationId: string; baseId: string; headId: string },
  ) => Promise<WantedTexts | NotComparedReason>;
  /** Compares outside of a transaction, because it can take seconds. @throws AppError `service_unavailable` if too many wait */
  compare: (wanted: WantedTexts | NotComparedReason, against: string) => Promise<OtherComparison>;
}

export function createOtherComparisons(parts: { db: DatabasePool; compiler: Compiler }): OtherComparisons {
  // Several that ask for the same wait for one comparison.
  const outcomes = new LRUCache<string, Outcome, WantedTexts>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: bytesOf,
    fetchMethod: (_key, _stale, { context }) => compareTexts(parts, context),
  });
  return {
    find: findTexts,
    async compare(wanted, against) {
      if (typeof wanted === "string") return notCompared(wanted, against);
      const key = Object.values(wanted).join(" ");
      const { texts, comparedAt } = await outcomes.forceFetch(key, { context: wanted });
      return texts === "too_large"
        ? notCompared("too_large", against)
        : compared(texts, { against, comparedAt });
    },
  };
}

async function findTexts(
  tx: DatabaseTransactionConnection,
  { organizationId, baseId, headId }: { organizationId: string; baseId: string; headId: string },
): Promise<WantedTexts | NotComparedReason> {
  const head = await findScanDescription(tx, { organizationId, scanRunId: headId });
  if (head === null) return "no_description";
  const base = await findScanDescription(tx, { organizationId, scanRunId: baseId });
  if (base === null) return "no_base_description";
  const [today = ""] = new Date().toISOString().split("T");
  return { organizationId, base: base.hash, head: head.hash, today };
}

async function compareTexts(
  { db, compiler }: { db: DatabasePool; compiler: Compiler },
  wanted: WantedTexts,
): Promise<Outcome> {
  const { organizationId } = wanted;
  const readChunks = (hash: string) =>
    withOrganization(db, organizationId, (tx) =>
      readDescriptionChunks(tx, { organizationId, hash, form: "original" }),
    );
  const texts = await compareDescriptions(compiler, { ...wanted, readChunks }).catch((error: unknown) => {
    if (error instanceof DocumentLimit) return "too_large" as const;
    throw error;
  });
  return { texts, comparedAt: new Date().toISOString() };
}

function bytesOf({ texts }: Outcome): number {
  if (texts === "too_large") return ENTRY_BYTES;
  const verdicts = texts.verdictParts.reduce((sum, part) => sum + part.length, 0);
  return ENTRY_BYTES + verdicts + JSON.stringify(texts.notCompared).length;
}

function notCompared(reason: NotComparedReason, against: string): OtherComparison {
  const nothing = { counts: null, notListed: 0, notCompared: [], comparedAt: null, rules: null };
  return { comparison: { status: "not_compared", reason, against, ...nothing }, verdictParts: [] };
}

function compared(
  { counts, notCompared: rest, verdictCount, verdictParts }: ComparedTexts,
  { against, comparedAt }: { against: string; comparedAt: string },
): OtherComparison {
  const comparison: Comparison = {
    status: "compared",
    reason: null,
    against,
    counts: { ...counts, approved: 0 },
    notListed: counts.breaking + counts.maybe + counts.safe - verdictCount,
    notCompared: rest,
    comparedAt,
    rules: { version: ENGINE_VERSION, latest: ENGINE_VERSION },
  };
  return { comparison, verdictParts };
}
