import { ENGINE_VERSION } from "@waymark/contract-diff/engine-version.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { DocumentLimit } from "@waymark/server/journeys/compiler/compiler-child.ts";
import type { Compiler, CompilerOptions } from "@waymark/server/journeys/compiler/compiler.ts";
import type { ComparedTexts } from "@waymark/server/lib/stored-verdicts.ts";
import {
  COMPARISON_LIMITS,
  compareDescriptions,
} from "@waymark/server/journeys/compiler/compare-descriptions.ts";
import { comparedOf, notComparedOf, sameOf } from "@waymark/server/scans/comparisons/comparison-of.ts";
import { findScanDescription, readDescriptionChunks } from "@waymark/server/scans/descriptions/queries.ts";
import type { Comparison, NotComparedReason } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { LRUCache } from "lru-cache";

const CACHE_BYTES_MAX = 32 * 1024 * 1024;
const ENTRY_BYTES = 1024;

/** The processes of these comparisons: few wait, because they are rare, and whoever asks again later finds the result. */
export const OTHER_COMPARISONS_PROCESS = {
  processes: 1,
  limits: COMPARISON_LIMITS,
  waitingMax: { organization: 3, all: 20 },
} satisfies CompilerOptions;

/** Two descriptions to compare, by the hashes of their texts. */
interface WantedTexts {
  organizationId: string;
  base: string;
  head: string;
  /** True if they differ in their form at most. */
  isSame: boolean;
  /** The day as of which rules judge, as `YYYY-MM-DD`: that of the run, as for the comparison with the run before it. */
  today: string;
}

interface Outcome {
  texts: Omit<ComparedTexts, "fingerprints">;
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
    runs: { organizationId: string; baseId: string; head: ScanRun },
  ) => Promise<WantedTexts | NotComparedReason>;
  /** Compares outside of a transaction, because it can take seconds. @throws AppError `service_unavailable` if too many wait */
  compare: (wanted: WantedTexts | NotComparedReason, against: string) => Promise<OtherComparison>;
}

/** @param surroundings.compiler not the one of journeys, so that nobody who saves one waits for comparisons */
export function createOtherComparisons(surroundings: {
  db: DatabasePool;
  compiler: Pick<Compiler, "run">;
}): OtherComparisons {
  // Several that ask for the same wait for one comparison.
  const outcomes = new LRUCache<string, Outcome, WantedTexts>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: bytesOf,
    // Somebody waits for it, although others have taken its place.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => compareTexts(surroundings, context),
  });
  return {
    find: findTexts,
    async compare(wanted, against) {
      if (typeof wanted === "string") return { comparison: notComparedOf(against, wanted), verdictParts: [] };
      if (wanted.isSame) return { comparison: sameOf(against), verdictParts: [] };
      try {
        const key = Object.values(wanted).join(" ");
        const { texts, comparedAt } = await outcomes.forceFetch(key, { context: wanted });
        const counts = { ...texts.counts, approved: 0 };
        const comparison = comparedOf(against, { ...texts, counts, comparedAt, engine: ENGINE_VERSION });
        return { comparison, verdictParts: texts.verdictParts };
      } catch (error) {
        // It is not kept: the machine may have been busy.
        if (!(error instanceof DocumentLimit)) throw error;
        return { comparison: notComparedOf(against, "too_large"), verdictParts: [] };
      }
    },
  };
}

async function findTexts(
  tx: DatabaseTransactionConnection,
  { organizationId, baseId, head: run }: { organizationId: string; baseId: string; head: ScanRun },
): Promise<WantedTexts | NotComparedReason> {
  const head = await findScanDescription(tx, { organizationId, scanRunId: run.id });
  if (head === null) return "no_description";
  const base = await findScanDescription(tx, { organizationId, scanRunId: baseId });
  if (base === null) return "no_base_description";
  const [today = ""] = new Date(run.scannedAt).toISOString().split("T");
  const isSame = base.canonicalHash === head.canonicalHash;
  return { organizationId, base: base.hash, head: head.hash, isSame, today };
}

async function compareTexts(
  { db, compiler }: Parameters<typeof createOtherComparisons>[0],
  wanted: WantedTexts,
): Promise<Outcome> {
  const { organizationId } = wanted;
  const readChunks = (hash: string) =>
    withOrganization(db, organizationId, (tx) =>
      readDescriptionChunks(tx, { organizationId, hash, form: "original" }),
    );
  const { fingerprints: _, ...texts } = await compareDescriptions(compiler, { ...wanted, readChunks });
  return { texts, comparedAt: new Date().toISOString() };
}

function bytesOf({ texts }: Outcome): number {
  const verdicts = texts.verdictParts.reduce((sum, part) => sum + part.length, 0);
  return ENTRY_BYTES + verdicts + JSON.stringify(texts.notCompared).length;
}
