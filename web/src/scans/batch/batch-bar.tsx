import { Button, Group, Stack, Text } from "@mantine/core";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { useState } from "react";
import { countOf } from "../../lib/count-of.ts";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { LOCALE } from "../../lib/locale.ts";
import { RequestError } from "../../lib/request-error.tsx";
import { useKeyActions } from "../../lib/single-keys.ts";
import classes from "./batch-bar.module.css";
import type { Selection } from "./selection.ts";
import { type Matching, useSelectMatching } from "./use-select-matching.ts";
import { useBatch } from "./use-batch.ts";

const DecideDialog = lazyDialog(async () => (await import("./decide-dialog.tsx")).DecideDialog);
const AssignDialog = lazyDialog(async () => (await import("./assign-dialog.tsx")).AssignDialog);

/** Does something to the selected findings, and undoes it. Renders nothing while none is selected and nothing can be undone. */
export function BatchBar({
  selection,
  matching,
}: {
  selection: Selection<CurrentFinding>;
  matching: Matching;
}) {
  const [dialog, setDialog] = useState<DecisionKind | "assign" | null>(null);
  const batch = useBatch({
    onChanged: () => {
      setDialog(null);
      selection.setAll([]);
    },
  });
  const { last, undo } = batch;
  const { rows } = selection;
  const isTooMany = rows.length > DECISION_LIMITS.perRequestMax;
  const isUsable = rows.length > 0 && !isTooMany;
  const decideAs = (kind: DecisionKind) => () => setDialog(kind);
  useKeyActions(
    {
      ...(isUsable && {
        a: decideAs("accepted_risk"),
        d: decideAs("accepted_risk"),
        f: decideAs("false_positive"),
        w: decideAs("wont_fix"),
        i: () => setDialog("assign"),
      }),
      ...(last?.undo && !undo.isPending && { u: () => undo.mutate() }),
    },
    { dialogs: 0 },
  );
  if (rows.length === 0 && last === null) return null;
  return (
    <Stack gap="xs" className={classes["bar"] ?? ""} role="region" aria-label="Selected findings">
      {rows.length > 0 && (
        <Group gap="sm">
          <Text size="sm" fw={600} role="status">
            {countOf(rows.length, "findings")} selected
          </Text>
          <Button size="xs" disabled={!isUsable} aria-keyshortcuts="a" onClick={decideAs("accepted_risk")}>
            Decide…
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={!isUsable}
            aria-keyshortcuts="i"
            onClick={() => setDialog("assign")}
          >
            Assign…
          </Button>
          <SelectMatching selection={selection} matching={matching} />
          <Button size="xs" variant="subtle" aria-keyshortcuts="Escape" onClick={() => selection.setAll([])}>
            Clear
          </Button>
        </Group>
      )}
      {isTooMany && <Text size="sm">{AT_ONCE} Clear some of them.</Text>}
      {rows.length === 0 && last !== null && (
        <Group gap="sm">
          <Text size="sm" role="status">
            {last.text}
          </Text>
          {last.undo !== null && (
            <Button
              size="xs"
              variant="default"
              aria-keyshortcuts="u"
              loading={undo.isPending}
              onClick={() => undo.mutate()}
            >
              Undo
            </Button>
          )}
        </Group>
      )}
      {undo.error !== null && <RequestError title="Not everything was undone" error={undo.error} />}
      {dialog === "assign" && (
        <AssignDialog rows={rows} request={batch.assign} onClose={() => setDialog(null)} />
      )}
      {dialog !== null && dialog !== "assign" && (
        <DecideDialog rows={rows} kind={dialog} request={batch.decide} onClose={() => setDialog(null)} />
      )}
    </Stack>
  );
}

const AT_ONCE = `At most ${DECISION_LIMITS.perRequestMax} findings are changed at once.`;

/** Offers to select what matches and is not loaded, and says how much of it that is. */
function SelectMatching({
  selection,
  matching,
}: {
  selection: Selection<CurrentFinding>;
  matching: Matching;
}) {
  const select = useSelectMatching(selection, matching);
  const { count, isAllLoaded, loaded } = matching;
  const max = DECISION_LIMITS.perRequestMax;
  const chosen = selection.rows.length;
  const isWhole = chosen === Math.min(loaded.length, max);
  if (!isWhole || (isAllLoaded && loaded.length <= max)) return null;
  if (chosen === max)
    return (
      <Text size="sm">
        {`The first ${max}${count === null ? "" : ` of ${count.toLocaleString(LOCALE)}`}. ${AT_ONCE} A decision about a rule covers all of its findings.`}
      </Text>
    );
  const label =
    count !== null && count <= max
      ? `Select all ${count.toLocaleString(LOCALE)} that match`
      : `Select the first ${max}${count === null ? " that match" : ` of ${count.toLocaleString(LOCALE)}`}`;
  return (
    <>
      <Button size="xs" variant="default" loading={select.isPending} onClick={() => select.mutate()}>
        {label}
      </Button>
      {select.error !== null && <RequestError title="Not all were loaded" error={select.error} />}
    </>
  );
}
