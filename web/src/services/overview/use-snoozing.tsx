import { Button, Group, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { useKeyActions } from "../../lib/single-keys.ts";
import { Time } from "../../lib/time.tsx";
import type { InboxItem, InboxSection } from "./inbox-items.ts";
import type { InboxColumn } from "./inbox-table.tsx";
import { useMaySnooze, useUnsnooze } from "./use-snoozes.ts";

const SnoozeDialog = lazyDialog(async () => (await import("./snooze-dialog.tsx")).SnoozeDialog);

interface Snoozed {
  item: InboxItem;
  until: string;
  /** The row that gets the focus in the place of the item's. */
  next: HTMLElement | null;
}

/**
 * Lets a person snooze items of the inbox by a button or with `s`, and undo the last one by a button or with `u`.
 *
 * @returns the column with the buttons, undefined if nobody can snooze; and what has been snoozed last, with the dialog
 */
export function useSnoozing(sections: readonly InboxSection[]): {
  column: InboxColumn | undefined;
  status: ReactNode;
} {
  const maySnooze = useMaySnooze();
  const unsnooze = useUnsnooze();
  const [opened, setOpened] = useState<InboxItem>();
  const [last, setLast] = useState<Snoozed>();
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (last !== undefined) (last.next?.querySelector("a") ?? undo.current)?.focus();
  }, [last]);
  const snoozeFocused = () => {
    const row = rows().find((each) => each.contains(document.activeElement));
    const items = sections.flatMap((section) => section.items);
    const item = items.find(({ id }) => id === row?.dataset["item"]);
    if (item === undefined) rows()[0]?.querySelector("a")?.focus();
    else if (item.event !== null) setOpened(item);
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
          onClick={() => setOpened(item)}
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
            item={opened}
            onClose={() => setOpened(undefined)}
            onSnoozed={(until) => {
              setLast({ item: opened, until, next: rowAfter(opened) });
              setOpened(undefined);
            }}
          />
        )}
      </>
    ),
  };
}

const rows = () => [...document.querySelectorAll<HTMLElement>("#main tr[data-item]")];

function rowAfter({ id }: InboxItem): HTMLElement | null {
  const all = rows();
  const index = all.findIndex((row) => row.dataset["item"] === id);
  return all[index + 1] ?? all[index - 1] ?? null;
}
