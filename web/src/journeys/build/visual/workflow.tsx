import { Button, Stack, Text, Title } from "@mantine/core";
import { Suspense, useMemo, useState } from "react";
import { lazyPart } from "../../../lib/lazy-part.tsx";
import { LastRunLine } from "../proofs/last-run-line.tsx";
import { AcceptanceSection } from "./acceptance-section.tsx";
import { arcsOf } from "./arcs.ts";
import { moveTo } from "./commands.ts";
import { DragList } from "./drag-list.tsx";
import type { WorkflowOutline } from "./outline.ts";
import { StepItem } from "./step-item.tsx";
import classes from "./step-item.module.css";
import { TeardownSection } from "./teardown-section.tsx";
import type { VisualActions } from "./visual-actions.ts";

const InsertStepDialog = lazyPart(
  "The form for a step",
  async () => (await import("./insert-step-dialog.tsx")).InsertStepDialog,
);

/** A workflow: its steps and acceptance criteria. */
export function Workflow(props: { workflow: WorkflowOutline; selected: string; actions: VisualActions }) {
  const { workflow, selected, actions } = props;
  const { workflowId, steps, inputs, summary } = workflow;
  const arcs = useMemo(() => arcsOf(steps), [steps]);
  const keys = useMemo(() => keysOf(steps), [steps]);
  const [insertion, setInsertion] = useState<{ after: string | undefined }>();
  const move = (from: number, gap: number, focus: string) => {
    const place = gap > from ? gap : gap + 1;
    const said = `${steps[from]?.stepId} is now step ${place} of ${steps.length}.`;
    actions.run(moveTo(workflow, from, gap), { focus, said });
  };
  return (
    <section aria-label={`Workflow ${workflowId}`}>
      <Title order={2} size="h2">
        {workflowId}
      </Title>
      {summary !== "" && <Text className="breaks">{summary}</Text>}
      <Text size="sm" c="dimmed" className="breaks">
        {inputs.length === 0 ? "No inputs" : `Inputs: ${inputs.join(", ")}`}
      </Text>
      <LastRunLine />
      <Stack gap="md" mt="xs">
        <DragList
          names={steps.map(({ stepId }) => stepId)}
          onDrop={(from, gap) => move(from, gap, steps[from]?.stepId ?? "")}
        >
          <ol
            className={classes["steps"]}
            aria-label={`Steps of ${workflowId}`}
            style={{ ["--lanes" as string]: arcs.lanes }}
          >
            {steps.map((step, at) => (
              <StepItem
                key={keys[at]}
                step={step}
                at={at}
                workflow={workflow}
                arcs={arcs.parts[at] ?? []}
                isOpen={selected !== "" && step.stepId === selected}
                actions={actions}
                onMove={(gap, focus) => move(at, gap, focus)}
                onInsertAfter={(after) => setInsertion({ after })}
              />
            ))}
          </ol>
        </DragList>
        {!actions.isReadOnly && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            onClick={() => setInsertion({ after: undefined })}
          >
            Add a step…
          </Button>
        )}
        <TeardownSection workflow={workflow} actions={actions} />
        <AcceptanceSection workflow={workflow} actions={actions} />
      </Stack>
      {insertion !== undefined && (
        <Suspense>
          <InsertStepDialog
            workflow={workflow}
            after={insertion.after}
            onInsert={(step, onRefused) => {
              const place = insertion.after === undefined ? {} : { after: insertion.after };
              const onEnd = (isMade: boolean) => {
                if (isMade) {
                  actions.select(step.stepId);
                  setInsertion(undefined);
                } else onRefused();
              };
              actions.run({ op: "insertStep", workflowId, step, ...place }, { onEnd });
            }}
            onClose={() => setInsertion(undefined)}
          />
        </Suspense>
      )}
    </section>
  );
}

/** A step that moves keeps its key. While a text is written, several steps can have one id. */
function keysOf(steps: WorkflowOutline["steps"]): string[] {
  const counts = new Map<string, number>();
  return steps.map(({ stepId }) => {
    const count = counts.get(stepId) ?? 0;
    counts.set(stepId, count + 1);
    return `${stepId} ${count}`;
  });
}
