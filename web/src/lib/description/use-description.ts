import { useQuery } from "@tanstack/react-query";
import type { OperationName } from "@waymark/contract-diff/verdict.ts";
import { useEffect } from "react";
import type { DescriptionPart } from "./messages.ts";
import { ask, close, openDescription } from "./description-client.ts";

/** A description never changes once it is stored. */
const FOR_EVER = { staleTime: Number.POSITIVE_INFINITY } as const;
/** The time after which the memory of a description that is no longer shown is freed. */
const KEPT_MS = 30_000;

let users = 0;
let closing: ReturnType<typeof setTimeout> | undefined;

/** Keeps the thread of the description while something shows it. */
function useThread(): void {
  useEffect(() => {
    users += 1;
    clearTimeout(closing);
    return () => {
      users -= 1;
      if (users === 0) closing = setTimeout(close, KEPT_MS);
    };
  }, []);
}

/** The index of a run's description. @param scanRunId null while the run is not known */
export function useDescription(scanRunId: string | null) {
  useThread();
  return useQuery({
    queryKey: ["description", scanRunId],
    queryFn: () => openDescription(scanRunId ?? ""),
    enabled: scanRunId !== null,
    ...FOR_EVER,
  });
}

/** An operation of a run's description; null if it has no such operation. */
export function useDescribedOperation(scanRunId: string | null, name: OperationName) {
  const description = useDescription(scanRunId);
  const operation = useQuery({
    queryKey: ["description", scanRunId, "operation", name],
    queryFn: () => ask(scanRunId ?? "", { ask: "operation", name }),
    // The index is asked for first: only then is it checked whether the session may read the description.
    enabled: description.isSuccess,
    ...FOR_EVER,
  });
  return description.isSuccess ? operation : { ...operation, ...failureOf(description) };
}

function failureOf({ error, isLoadingError, refetch }: ReturnType<typeof useDescription>) {
  return { error, isLoadingError, refetch };
}

/** The parts of a schema that is unfolded. */
export function useSchemaGroups(scanRunId: string, schema: string) {
  return useQuery({
    queryKey: ["description", scanRunId, "schema", schema],
    queryFn: () => ask(scanRunId, { ask: "schema", schema }),
    ...FOR_EVER,
  });
}

/** A place in the description of a run. */
export interface DescribedPlace {
  scanRunId: string;
  pointer: string;
}

/** The part of two descriptions that has a change, before and after it; null on a side that has no such place. */
export function useChangedPart(before: DescribedPlace | null, after: DescribedPlace | null) {
  useThread();
  return useQuery({
    queryKey: ["description", "part", before, after],
    queryFn: () => changedPart(before, after),
    ...FOR_EVER,
  });
}

async function changedPart(before: DescribedPlace | null, after: DescribedPlace | null) {
  const [base, head] = [await partAt(before), await partAt(after)];
  if (base === null || head === null) return { before: base, after: head };
  // The part with the other one inside is read on both sides, and both to the same depth: what one side leaves out is no difference.
  const outer = isWithin(base, head) ? head : base;
  const pointerOf = (part: DescriptionPart) => (isWithin(part, outer) ? outer.pointer : part.pointer);
  const read = async (depth?: number) => ({
    before: await partAt(before, { pointer: pointerOf(base), depth }),
    after: await partAt(after, { pointer: pointerOf(head), depth }),
  });
  const found = await read();
  const depths = [found.before?.depth ?? Infinity, found.after?.depth ?? Infinity];
  return depths[0] === depths[1] ? found : read(Math.min(...depths));
}

async function partAt(
  place: DescribedPlace | null,
  { pointer = place?.pointer, depth }: { pointer?: string | undefined; depth?: number | undefined } = {},
): Promise<DescriptionPart | null> {
  if (place === null || pointer === undefined) return null;
  return ask(place.scanRunId, { ask: "part", pointer, ...(depth === undefined ? {} : { depth }) });
}

function isWithin(part: DescriptionPart, outer: DescriptionPart): boolean {
  return part.pointer.startsWith(`${outer.pointer}/`);
}
