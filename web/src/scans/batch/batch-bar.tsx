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
  // With the rows that it is about: a list that is loaded again meanwhile changes neither them nor what is typed.
  const [dialog, setDialog] = useState<{
    kind: DecisionKind | "assign";
    rows: readonly CurrentFinding[];
  } | null>(null);
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
  const open = (kind: DecisionKind | "assign") => () => {
    // The failure of the last dialog says nothing about this one.
    batch.reset();
    setDialog({ kind, rows });
  };
  const close = () => setDialog(null);
  useKeyActions(
    {
      ...(isUsable && {
        a: open("accepted_risk"),
        d: open("accepted_risk"),
        f: open("false_positive"),
        w: open("wont_fix"),
        i: open("assign"),
      }),
      ...(last?.undo && !undo.isPending && { u: () => undo.mutate() }),
    },
    { dialogs: 0 },
  );
  if (rows.length === 0 && last === null && dialog === null) return null;
  return (
    <Stack gap="xs" className={classes["bar"] ?? ""} role="region" aria-label="Selected findings">
      {rows.length > 0 && (
        <Group gap="sm">
          <Text size="sm" fw={600} role="status">
            {countOf(rows.length, "findings")} selected
          </Text>
          <Button size="xs" disabled={!isUsable} aria-keyshortcuts="a" onClick={open("accepted_risk")}>
            Decide…
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={!isUsable}
            aria-keyshortcuts="i"
            onClick={open("assign")}
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
      {dialog?.kind === "assign" && (
        <AssignDialog rows={dialog.rows} request={batch.assign} onClose={close} />
      )}
      {dialog !== null && dialog.kind !== "assign" && (
        <DecideDialog rows={dialog.rows} kind={dialog.kind} request={batch.decide} onClose={close} />
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
