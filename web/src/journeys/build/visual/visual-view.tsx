import { Alert, Anchor, Stack, Text } from "@mantine/core";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import {
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { OperationsContext } from "../operations/known-operation.ts";
import { LastRunContext } from "../proofs/last-run.ts";
import { redone, undone } from "../text/text-history.ts";
import type { TextStore } from "../text/text-store.ts";
import { RemovedFields } from "./origin.tsx";
import { changerOf } from "./changer.ts";
import type { AfterChange, VisualActions } from "./visual-actions.ts";
import { outlineOf, type WorkflowOutline } from "./outline.ts";
import { SubJourneysContext } from "./sub-journeys-context.ts";
import { VariantContext, type VariantFields } from "./variant-fields.ts";
import type { Fault, ShownJourney, VisualEditor } from "./visual-editor.ts";
import { Workflow } from "./workflow.tsx";

export interface VisualViewProps {
  store: TextStore;
  isReadOnly: boolean;
  /** The step whose card is open. */
  selected: string;
  onSelect: (stepId: string) => void;
  /** Opens the text at a line. */
  onShowLine: (line: number) => void;
}

/** The steps of the journey, as the text makes it. Each action is one command, and one change of the text. */
export function VisualView(props: VisualViewProps & { editor: VisualEditor }) {
  const { store, editor, isReadOnly, selected, onShowLine } = props;
  const outline = useOutline(store, editor);
  const { workflows, fault, fields } = outline;
  const { linked } = useContext(OperationsContext);
  const subJourneys = useMemo(() => ({ workflows, linked }), [workflows, linked]);
  const lastRun = useContext(LastRunContext);
  useShownCard(selected, workflows.length > 0);
  // The one that a run begins with.
  const entry = workflows.find(({ workflowId }) => workflowId === "main") ?? workflows[0];
  const isFrozen = isReadOnly || fault !== undefined;
  const { actions, bringBack, load, said, refusal, closeRefusal } = useActions(
    { ...props, isReadOnly: isFrozen },
    outline,
  );
  return (
    <Stack
      gap="md"
      onFocus={isFrozen ? undefined : load}
      onKeyDown={(event) => undoByKey(event, store, isReadOnly)}
    >
      <span className="visually-hidden" role="status">
        {said}
      </span>
      {fault !== undefined && (
        <Frozen fault={fault} hasSteps={workflows.length > 0} onShowLine={onShowLine} />
      )}
      {refusal !== undefined && <Refusal refusal={refusal} onClose={closeRefusal} />}
      <div inert={fault !== undefined}>
        <Fields fields={fields} actions={actions}>
          <Stack gap="xl">
            {fields !== undefined && (
              <RemovedFields removed={fields.removed} onBringBack={isFrozen ? undefined : bringBack} />
            )}
            {workflows.length === 0 && fault === undefined && <Text>The text has no workflow.</Text>}
            <SubJourneysContext value={subJourneys}>
              {workflows.map((workflow) => (
                <LastRunContext key={workflow.pointer} value={workflow === entry ? lastRun : undefined}>
                  <Workflow workflow={workflow} selected={selected} actions={actions} />
                </LastRunContext>
              ))}
            </SubJourneysContext>
          </Stack>
        </Fields>
      </div>
    </Stack>
  );
}

/** Returns the actions of the view, and the outcome of the last change. */
function useActions(props: VisualViewProps & { editor: VisualEditor }, { workflows, value }: Shown) {
  const { store, editor, isReadOnly, onSelect, onShowLine } = props;
  const [refusal, setRefusal] = useState<Fault>();
  const [said, setSaid] = useState("");
  const focusLater = useFocusLater(workflows);
  const onEnd = (refused: Fault | undefined, after: AfterChange) => {
    if (refused === undefined) {
      focusLater(after.focus);
      setSaid(after.said ?? "");
    } else {
      setRefusal(refused);
      if (refused.line !== undefined) onShowLine(refused.line);
    }
    after.onEnd?.(refused === undefined);
  };
  const { change, load } = changerOf(store, editor, { shown: value, onEnd });
  const begin: typeof change = (wanted, after) => {
    // Before the change, because another one may end meanwhile.
    setRefusal(undefined);
    change(wanted, after);
  };
  const actions: VisualActions = {
    isReadOnly,
    select: onSelect,
    showText: (pointer) => {
      const line = editor.show(store.get().text).lineOf(pointer);
      return line === undefined ? undefined : () => onShowLine(line);
    },
    run: (command, after) => {
      if (command === undefined) after?.onEnd?.(true);
      else begin(command, after);
    },
    runLoaded: (make, after = {}) => {
      setRefusal(undefined);
      void make().then(
        (command) => change(command, after),
        (error: Error) => onEnd({ message: error.message, line: undefined }, after),
      );
    },
  };
  const bringBack = (target: string) => begin({ op: "bringBack", target }, { said: "It is back." });
  return { actions, bringBack, load, said, refusal, closeRefusal: () => setRefusal(undefined) };
}

/** Provides the effects of a variant to the fields inside. */
function Fields(props: { fields: VariantFields | undefined; actions: VisualActions; children: ReactNode }) {
  const { fields, actions, children } = props;
  const { run, isReadOnly } = actions;
  const reset = (pointer: Pointer) => run({ op: "resetValue", pointer }, { said: "Reset to the base." });
  const context = fields && { originOf: fields.originOf, reset: isReadOnly ? undefined : reset };
  return <VariantContext value={context}>{children}</VariantContext>;
}

const NONE: Shown = { value: undefined, workflows: [], fields: undefined };

interface Shown {
  /** The journey that the workflows are of. */
  value: JsonObject | undefined;
  workflows: WorkflowOutline[];
  fields: VariantFields | undefined;
}

/** The outline of the text. While the text can't be read, that of the last one that could, and the fault. */
function useOutline(store: TextStore, editor: VisualEditor): Shown & { fault: Fault | undefined } {
  const { text } = useSyncExternalStore(store.subscribe, store.get);
  const deferred = useDeferredValue(text);
  const lastGood = useRef(NONE);
  return useMemo(() => {
    const { value, fault, fields }: ShownJourney = editor.show(deferred);
    if (fault === undefined)
      lastGood.current = { value, workflows: value === undefined ? [] : outlineOf(value), fields };
    return { ...lastGood.current, fault };
  }, [editor, deferred]);
}

/** Moves the focus once the list shows the change: a step that moves to another place loses it. */
function useFocusLater(workflows: WorkflowOutline[]): (name: string | undefined) => void {
  const wanted = useRef<string>(undefined);
  // A layout effect, because a key that is pressed before the focus is back would be lost.
  useLayoutEffect(() => {
    const name = wanted.current;
    wanted.current = undefined;
    if (name === undefined) return;
    const named = (text: string) =>
      document.querySelector<HTMLElement>(`[data-focus="${CSS.escape(text)}"]:not(:disabled)`);
    // A button that the change disabled gives the focus to its card.
    const element = named(name) ?? named(name.replace(/ (up|down)$/, ""));
    element?.focus();
    // A new row has a text of its own, which typing replaces.
    if (element instanceof HTMLInputElement) element.select();
  }, [workflows]);
  return (name) => {
    wanted.current = name;
  };
}

/** Scrolls to the step that the address names at first, and to one that is selected in the text beside the steps. */
function useShownCard(stepId: string, hasSteps: boolean): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!hasSteps || !(isFirst.current || isTextBeside())) return;
    isFirst.current = false;
    if (stepId === "") return;
    const card = document.querySelector(`[data-focus="${CSS.escape(stepId)}"]`)?.closest("li");
    card?.scrollIntoView({ block: "nearest" });
  }, [stepId, hasSteps]);
}

/** True if the text has the focus and stays in sight while the steps scroll: see views.module.css. */
function isTextBeside(): boolean {
  const editor = document.activeElement?.closest(".cm-editor");
  return editor instanceof Element && matchMedia("(min-width: 62em)").matches;
}

/** Fields have their own undo while something is typed in them. */
function undoByKey(event: KeyboardEvent, store: TextStore, isReadOnly: boolean): void {
  const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (isReadOnly || isField || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  store.update(key === "y" || event.shiftKey ? redone : undone);
}

function Frozen(props: { fault: Fault; hasSteps: boolean; onShowLine: (line: number) => void }) {
  const { fault, hasSteps, onShowLine } = props;
  const { line, message } = fault;
  return (
    <Alert
      color="yellow"
      // Not an alert: while a line is typed, the text often can't be read.
      role="status"
      title={line === undefined ? "The steps can't be shown" : "The text can't be read"}
    >
      {message}{" "}
      {hasSteps && "The steps below are those of the last text that could be read, and can't be changed. "}
      {line !== undefined && (
        <>
          Fix{" "}
          <Anchor component="button" type="button" onClick={() => onShowLine(line)}>
            line {line} of the text
          </Anchor>
          .
        </>
      )}
    </Alert>
  );
}

function Refusal({ refusal, onClose }: { refusal: Fault; onClose: () => void }) {
  return (
    <Alert
      color="red"
      role="alert"
      title="The change was not made"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {refusal.message}
      {refusal.line !== undefined && ` See line ${refusal.line} of the text.`}
    </Alert>
  );
}
