import { Button, Group, Text } from "@mantine/core";
import type { Snooze } from "@waymark/shared/services/snoozes/schema.ts";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { useKeyActions } from "../../lib/single-keys.ts";
import { Time } from "../../lib/time.tsx";
import type { InboxItem, InboxSection } from "./inbox-items.ts";
import type { InboxColumn } from "./inbox-table.tsx";
import { useMaySnooze, useUnsnooze } from "./use-snoozes.ts";

const SnoozeDialog = lazyDialog(async () => (await import("./snooze-dialog.tsx")).SnoozeDialog);

/** An item, and the row that gets the focus in the place of the item's. */
interface Chosen {
  item: InboxItem;
  next: HTMLElement | null;
}

/**
 * Lets a person snooze items of the inbox by a button or with `s`, and undo the last one by a button or with `u`.
 *
 * @param snoozes what the person has snoozed
 * @returns the column with the buttons, undefined if nobody can snooze; and what has been snoozed last, with the dialog
 */
export function useSnoozing(
  sections: readonly InboxSection[],
  snoozes: readonly Snooze[],
): {
  column: InboxColumn | undefined;
  status: ReactNode;
} {
  const maySnooze = useMaySnooze();
  const unsnooze = useUnsnooze();
  const [opened, setOpened] = useState<Chosen>();
  const [chosen, setLast] = useState<Chosen & { until: string }>();
  // It may be back: somebody has returned it, or something new has happened to it.
  const last = chosen !== undefined && isAmong(snoozes, chosen.item) ? chosen : undefined;
  const undo = useRef<HTMLButtonElement>(null);
  const focused = useRef<Chosen>(undefined);
  useEffect(() => {
    if (last === undefined || last === focused.current) return;
    focused.current = last;
    const link = last.next?.isConnected === true ? last.next.querySelector("a") : null;
    (link ?? undo.current)?.focus();
  }, [last]);
  const open = (item: InboxItem) => setOpened({ item, next: rowAfter(item, sections) });
  const snoozeFocused = () => {
    const rows = rowsOf(sections);
    const row = rows.find((each) => each.contains(document.activeElement));
    const items = sections.flatMap((section) => section.items);
    const item = items.find(({ id }) => id === row?.dataset["item"]);
    if (item === undefined) rows[0]?.querySelector("a")?.focus();
    else if (item.event !== null) open(item);
  };
  const undoLast = () => {
    if (last?.item.event === null || last === undefined) return;
    unsnooze.mutate(last.item.event, { onSuccess: () => setLast(undefined) });
  };
  useKeyActions(maySnooze ? { s: snoozeFocused, u: undoLast } : {}, { dialogs: 0 });
  const column = {
    head: "Snooze",
    cell: (item: InboxItem) =>
      item.event !== null && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={`Snooze: ${item.service?.name ?? ""} ${item.text}`}
          onClick={() => open(item)}
        >
          Snooze
        </Button>
      ),
  };
  return {
    column: maySnooze ? column : undefined,
    status: (
      <>
        {last !== undefined && (
          <Group gap="xs" mt="xs" role="status">
            <Text size="sm" className="breaks">
              {last.item.service?.name ?? last.item.text} is snoozed until <Time at={last.until} />.
            </Text>
            <Button
              ref={undo}
              size="compact-xs"
              variant="default"
              loading={unsnooze.isPending}
              onClick={undoLast}
            >
              Undo
            </Button>
          </Group>
        )}
        {unsnooze.error !== null && <RequestError title="It is still snoozed" error={unsnooze.error} />}
        {opened !== undefined && (
          <SnoozeDialog
            item={opened.item}
            onClose={() => setOpened(undefined)}
            onSnoozed={(until) => {
              setLast({ ...opened, until });
              setOpened(undefined);
            }}
          />
        )}
      </>
    ),
  };
}

function isAmong(snoozes: readonly Snooze[], { event }: InboxItem): boolean {
  return snoozes.some(({ kind, subjectId }) => kind === event?.kind && subjectId === event.subjectId);
}

/** The rows of the items: the page has other lists, such as that of what is snoozed. */
function rowsOf(sections: readonly InboxSection[]): HTMLElement[] {
  const ids = new Set(sections.flatMap(({ items }) => items.map(({ id }) => id)));
  const rows = [...document.querySelectorAll<HTMLElement>("#main tr[data-item]")];
  return rows.filter((row) => ids.has(row.dataset["item"] ?? ""));
}

function rowAfter({ id }: InboxItem, sections: readonly InboxSection[]): HTMLElement | null {
  const rows = rowsOf(sections);
  const index = rows.findIndex((row) => row.dataset["item"] === id);
  return rows[index + 1] ?? rows[index - 1] ?? null;
}
