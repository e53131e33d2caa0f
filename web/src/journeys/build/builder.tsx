import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { Suspense, useState, useSyncExternalStore } from "react";
import { lazyPart } from "../../lib/lazy-part.tsx";
import { Time } from "../../lib/time.tsx";
import type { Journey } from "../document/journey-page.tsx";
import { StartedRun } from "./proofs/started-run.tsx";
import type { Draft } from "./save/draft.ts";
import { type BaseVersion, useDraft } from "./save/use-draft.ts";
import { RunButton } from "../start/run-button.tsx";
import { ProblemList } from "./text/problem-list.tsx";
import { historyOf, redone, undone, withText } from "./text/text-history.ts";
import { createTextStore, type TextStore } from "./text/text-store.ts";
import { useProblems } from "./text/use-problems.ts";
import { useView, type View, ViewButtons, Views } from "./views.tsx";

const SaveDialog = lazyPart(
  "The form that saves",
  async () => (await import("./save/save-dialog.tsx")).SaveDialog,
);
const Unlock = lazyPart("What unlocks the document", async () => (await import("./save/unlock.tsx")).Unlock);

export interface BuilderProps {
  journey: Journey;
  firstBase: BaseVersion;
  draft: Draft | undefined;
  isLocked: boolean;
}

/** The views of one text, and the controls that save it. */
export function Builder({ journey, firstBase, draft, isLocked }: BuilderProps) {
  const [base, setBase] = useState(firstBase);
  const [store] = useState(() => createTextStore(startOf(firstBase, draft)));
  const { text } = useSyncExternalStore(store.subscribe, store.get);
  const isKept = useDraft(journey.id, base, text);
  const [isUnlocked, setIsUnlocked] = useState(journey.managedBy === null);
  const [isSaving, setIsSaving] = useState(false);
  const checked = useProblems(text, journey);
  const { problems } = checked;
  const [view, setView] = useView(journey);
  const [reveal, setReveal] = useState<{ line: number }>();
  const [startedRunId, setStartedRunId] = useState<string>();
  const isReadOnly = isLocked || !isUnlocked;
  const showLine = (line: number) => {
    if (view === "visual") setView("split");
    else if (view !== "split") setView("yaml");
    setReveal({ line });
  };
  const changeView = (next: View) => {
    // A new editor would move to the line that was shown last.
    setReveal(undefined);
    setView(next);
  };
  const continueFrom = (next: BaseVersion) => {
    setBase(next);
    setIsSaving(false);
  };

  return (
    <Stack gap="sm">
      {journey.managedBy !== null && !isLocked && (
        <Suspense>
          <Unlock isUnlocked={isUnlocked} onChange={setIsUnlocked} />
        </Suspense>
      )}
      <Group justify="space-between">
        <Group gap="sm">
          <ViewButtons kind={journey.kind} view={view} onChange={changeView} />
          <UndoButtons store={store} isDisabled={isReadOnly} />
        </Group>
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {stateOf({ isChanged: text !== base.text, isKept, version: base.version })}
          </Text>
          <Button disabled={isReadOnly || text === base.text} onClick={() => setIsSaving(true)}>
            Save…
          </Button>
          {journey.kind !== "openapi" && (
            <RunButton
              journeyId={journey.id}
              variant="default"
              disabled={text !== base.text}
              onStarted={setStartedRunId}
            />
          )}
        </Group>
      </Group>
      {startedRunId !== undefined && <StartedRun runId={startedRunId} />}
      {draft !== undefined && <DraftNotice draft={draft} store={store} base={base} />}
      {journey.headVersion > base.version && (
        <Alert color="yellow" role="status" title={`Version ${journey.headVersion} was saved meanwhile`}>
          Your text is made from version {base.version}. When you save it, you see both changes and choose.
        </Alert>
      )}
      <Views
        view={view}
        store={store}
        journey={journey}
        isReadOnly={isReadOnly}
        problems={problems}
        reveal={reveal}
        started={{ runId: startedRunId, version: base.version }}
        onShowLine={showLine}
      />
      <ProblemList {...checked} onShow={showLine} />
      {isSaving && (
        <Suspense>
          <SaveDialog
            base={base}
            saving={{
              journeyId: journey.id,
              path: journey.path,
              text,
              baseVersion: base.version,
              unlock: journey.managedBy !== null,
            }}
            onSaved={(version) => {
              continueFrom({ version, text });
              // It was unlocked for one version.
              setIsUnlocked(journey.managedBy === null);
            }}
            onMerge={(head, merged) => {
              store.update((history) => withText(history, merged));
              setBase(head);
            }}
            onTakeTheirs={(head) => {
              store.update((history) => withText(history, head.text));
              continueFrom(head);
            }}
            onClose={() => setIsSaving(false)}
          />
        </Suspense>
      )}
    </Stack>
  );
}

/** A draft is a change of its version, so that it can be undone. */
function startOf(base: BaseVersion, draft: Draft | undefined) {
  const start = historyOf(base.text);
  return draft === undefined ? start : withText(start, draft.text);
}

function stateOf(state: { isChanged: boolean; isKept: boolean; version: number }): string {
  if (!state.isChanged) return `As version ${state.version}`;
  return state.isKept
    ? "Not saved. This browser keeps it as a draft."
    : "Not saved, and this browser has no room for a draft: save before you leave.";
}

function UndoButtons({ store, isDisabled }: { store: TextStore; isDisabled: boolean }) {
  const { past, future } = useSyncExternalStore(store.subscribe, store.get);
  return (
    <Button.Group>
      <Button
        variant="default"
        disabled={isDisabled || past.length === 0}
        onClick={() => store.update(undone)}
      >
        Undo
      </Button>
      <Button
        variant="default"
        disabled={isDisabled || future.length === 0}
        onClick={() => store.update(redone)}
      >
        Redo
      </Button>
    </Button.Group>
  );
}

function DraftNotice({ draft, store, base }: { draft: Draft; store: TextStore; base: BaseVersion }) {
  const [isOpen, setIsOpen] = useState(true);
  if (!isOpen) return null;
  return (
    <Alert
      color="gray"
      role="status"
      title="You continue with a draft"
      withCloseButton
      closeButtonLabel="Keep it"
      onClose={() => setIsOpen(false)}
    >
      <Group justify="space-between">
        <Text size="sm">
          This browser kept it, last <Time at={draft.savedAt} />. It is not saved yet.
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            store.update((history) => withText(history, base.text));
            setIsOpen(false);
          }}
        >
          Discard the draft
        </Button>
      </Group>
    </Alert>
  );
}
