import { Text } from "@mantine/core";
import type { VerdictPosition } from "@waymark/shared/scans/comparisons/schema.ts";
import { useChangedPart } from "../description/use-description.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { FragmentDifference } from "./fragment-difference.tsx";

/** The runs whose descriptions a verdict compares. */
export interface ComparedRuns {
  scanRunId: string;
  baseRunId: string;
}

/** Shows what both descriptions say at the place of a change: the whole schema, parameter or operation. */
export function ChangedPart(props: {
  runs: ComparedRuns;
  base: VerdictPosition | null;
  head: VerdictPosition | null;
}) {
  const { runs, base, head } = props;
  const placeIn = (scanRunId: string, position: VerdictPosition | null) =>
    position === null ? null : { scanRunId, pointer: position.pointer };
  const part = useChangedPart(placeIn(runs.baseRunId, base), placeIn(runs.scanRunId, head));
  if (part.isPending)
    return (
      <Text size="sm" role="status">
        Reading both descriptions…
      </Text>
    );
  if (part.isError) return <ErrorAlert error={part.error} onRetry={() => void part.refetch()} />;
  const { before, after } = part.data;
  if (before === null && after === null)
    return <Text size="sm">The change is of the whole description.</Text>;
  return (
    <>
      <FragmentDifference before={before?.text ?? null} after={after?.text ?? null} />
      {(before?.isCut === true || after?.isCut === true) && (
        <Text size="xs">It is long: what is deeper inside, or further down, is left out.</Text>
      )}
    </>
  );
}
