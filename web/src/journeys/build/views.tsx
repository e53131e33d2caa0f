import { Alert, Anchor, Button, Skeleton } from "@mantine/core";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { Suspense } from "react";
import { lazyPart } from "../../lib/lazy-part.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import type { Journey } from "../document/journey-page.tsx";
import { OperationsContext } from "./operations/known-operation.ts";
import { useOperations } from "./operations/use-operations.ts";
import { LastRunContext, useLastRun } from "./proofs/last-run.ts";
import type { TextStore } from "./text/text-store.ts";
import { useBaseTexts } from "./variant/use-base-texts.ts";
import { JourneySteps } from "./visual/journey-steps.tsx";
import type { VisualViewProps } from "./visual/visual-view.tsx";
import classes from "./views.module.css";

// CodeMirror is half as large as everything else.
const TextEditor = lazyPart(
  "The editor of the text",
  async () => (await import("./text/text-editor.tsx")).TextEditor,
);
const VariantSteps = lazyPart(
  "The view of the steps",
  async () => (await import("./variant/variant-steps.tsx")).VariantSteps,
);
const ComposedText = lazyPart(
  "The view of the composed text",
  async () => (await import("./variant/composed-texts.tsx")).ComposedText,
);
const VariantDifference = lazyPart(
  "The view of the difference",
  async () => (await import("./variant/composed-texts.tsx")).VariantDifference,
);

const LABELS = {
  visual: "Visual",
  split: "Both",
  yaml: "YAML",
  composed: "Composed",
  difference: "Difference",
} as const;
export type View = keyof typeof LABELS;

/** The views of each kind of document. */
const VIEWS: Readonly<Record<JourneyDocument["kind"], readonly [View, ...View[]]>> = {
  journey: ["visual", "split", "yaml"],
  overlay: ["visual", "split", "yaml", "composed", "difference"],
  openapi: ["yaml"],
};

/** The view that the URL names; the first one of the document's kind by default. */
export function useView({ kind }: Pick<JourneyDocument, "kind">): [View, (view: View) => void] {
  const [wanted, setWanted] = useUrlState("view");
  const [first] = VIEWS[kind];
  const view = VIEWS[kind].find((one) => one === wanted) ?? first;
  return [view, (next) => setWanted(next === first ? "" : next)];
}

export function ViewButtons(props: {
  kind: JourneyDocument["kind"];
  view: View;
  onChange: (view: View) => void;
}) {
  const { kind, view, onChange } = props;
  if (VIEWS[kind].length === 1) return null;
  return (
    <Button.Group aria-label="View" className={classes["buttons"] ?? ""}>
      {VIEWS[kind].map((one) => (
        <Button
          key={one}
          variant={one === view ? "filled" : "default"}
          aria-pressed={one === view}
          onClick={() => onChange(one)}
        >
          {LABELS[one]}
        </Button>
      ))}
    </Button.Group>
  );
}

export interface ViewsProps {
  view: View;
  store: TextStore;
  journey: Journey;
  isReadOnly: boolean;
  problems: readonly Problem[];
  reveal: { line: number } | undefined;
  /** The run that was started here, and the version that the text is made from. */
  started: { runId: string | undefined; version: number };
  onShowLine: (line: number) => void;
}

/** Shows the text of the store as steps, as YAML, or both. A variant also has a view of its composed journey. */
export function Views(props: ViewsProps) {
  const { view, store, journey, isReadOnly, problems, reveal, started } = props;
  const { operations, error, refetch } = useOperations(journey);
  const lastRun = useLastRun(journey, started);
  const [step, selectStep] = useUrlState("step");
  return (
    <OperationsContext value={operations}>
      {error !== null && <OperationsUnknown error={error} onRetry={() => void refetch()} />}
      <div className={classes["views"]} data-view={view}>
        {view !== "yaml" && (
          <Suspense fallback={<LoadingSteps />}>
            <LastRunContext value={lastRun}>
              <Shown {...props} />
            </LastRunContext>
          </Suspense>
        )}
        {(view === "split" || view === "yaml") && (
          <Suspense fallback={<Skeleton height="max(60vh, 22rem)" aria-label="Loading the editor" />}>
            <TextEditor
              store={store}
              label={`Text of ${journey.path}`}
              isReadOnly={isReadOnly}
              problems={problems}
              operations={journey.kind === "journey" ? operations.operations : undefined}
              reveal={reveal}
              step={step}
              onStep={(stepId) => {
                if (stepId !== step) selectStep(stepId);
              }}
            />
          </Suspense>
        )}
      </div>
    </OperationsContext>
  );
}

function OperationsUnknown({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Alert color="yellow" role="status" title="What the operations take isn't known">
      {error.message}{" "}
      <Anchor component="button" type="button" onClick={onRetry}>
        Try again
      </Anchor>
    </Alert>
  );
}

function LoadingSteps() {
  return (
    <Skeleton height="max(60vh, 22rem)" className={classes["loading"] ?? ""} aria-label="Loading the steps" />
  );
}

function Shown(props: ViewsProps) {
  const { store, isReadOnly, journey, onShowLine } = props;
  const [selected, select] = useUrlState("step");
  const steps = { store, isReadOnly, selected, onSelect: select, onShowLine };
  if (journey.kind === "overlay") return <Variant {...props} steps={steps} />;
  return <JourneySteps {...steps} file={journey.path} />;
}

function Variant({ view, store, journey, steps }: ViewsProps & { steps: VisualViewProps }) {
  const texts = useBaseTexts(journey);
  if (texts.isPending) return <LoadingSteps />;
  if (texts.isLoadingError)
    return (
      <Alert color="yellow" role="alert" title="The base of this variant can't be read">
        {texts.error.message}
      </Alert>
    );
  const shown = { store, file: journey.path, texts: texts.data };
  if (view === "composed") return <ComposedText {...shown} />;
  if (view === "difference") return <VariantDifference {...shown} />;
  return <VariantSteps {...steps} {...shown} />;
}
