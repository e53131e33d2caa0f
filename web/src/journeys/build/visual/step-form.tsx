import { Stack } from "@mantine/core";
import { Suspense, useContext, useState } from "react";
import { lazyPart } from "../../../lib/lazy-part.tsx";
import { ExpressionsContext } from "../expressions/expression-input.tsx";
import { expressionsInScope } from "../expressions/in-scope.ts";
import { operationOf, OperationsContext } from "../operations/known-operation.ts";
import { BodyFields } from "./body-fields.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { CommitField } from "./commit-field.tsx";
import { setOrRemove } from "./commands.ts";
import type { StepCard, WorkflowOutline } from "./outline.ts";
import { ParameterRows } from "./parameter-rows.tsx";
import { AssertionRows, OutputRows } from "./step-rows.tsx";
import { fieldText, fieldValue } from "./value-text.ts";
import type { AfterChange, VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

const FlowRows = lazyPart("The form for these", async () => (await import("./flow-rows.tsx")).FlowRows);

/** The fields of a step. Each change of a field is one change of the text. */
export function StepForm(props: { step: StepCard; workflow: WorkflowOutline; actions: VisualActions }) {
  const { step, workflow, actions } = props;
  const { run, isReadOnly, select } = actions;
  const { pointer, stepId } = step;
  const responseFields = operationOf(useContext(OperationsContext), step.value)?.responseFields ?? [];
  const expressionsOf = (isAfterResponse: boolean) =>
    expressionsInScope(
      { workflow: workflow.value, at: workflow.steps.indexOf(step), responseFields },
      isAfterResponse,
    );
  const rename = (to: string, { onEnd }: AfterChange) =>
    run(
      { op: "renameStep", workflowId: workflow.workflowId, stepId, to },
      {
        focus: to,
        onEnd: (isMade) => {
          onEnd?.(isMade);
          if (isMade) select(to);
        },
      },
    );
  return (
    <Stack gap="sm" className={classes["form"] ?? ""}>
      <div className={classes["row"]}>
        <CommitField label="Step id" value={stepId} isReadOnly={isReadOnly} onCommit={rename} />
        <Operation step={step} actions={actions} />
        <CommitField
          label="Timeout in ms"
          pointer={`${pointer}/timeout`}
          value={fieldText(step.timeoutMs)}
          isReadOnly={isReadOnly}
          onCommit={(text, after) =>
            run(
              setOrRemove(step.value, pointer, "timeout", text === "" ? undefined : fieldValue(text)),
              after,
            )
          }
        />
      </div>
      <CommitField
        label="Description"
        pointer={`${pointer}/description`}
        value={step.description}
        isReadOnly={isReadOnly}
        onCommit={(text, after) =>
          run(setOrRemove(step.value, pointer, "description", text === "" ? undefined : text), after)
        }
      />
      <ExpressionsContext value={expressionsOf}>
        <ParameterRows step={step} actions={actions} />
        <BodyFields step={step} actions={actions} />
        <AssertionRows step={step} workflowId={workflow.workflowId} actions={actions} />
        <OutputRows step={step} actions={actions} />
        <Flow step={step} workflow={workflow} actions={actions} />
      </ExpressionsContext>
    </Stack>
  );
}

/** The retries, jumps and polls. Most steps have none, so the code of their fields loads when they are opened. */
function Flow(props: { step: StepCard; workflow: WorkflowOutline; actions: VisualActions }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Retries, jumps and polls</summary>
      {isOpen && (
        <Suspense>
          <FlowRows {...props} />
        </Suspense>
      )}
    </details>
  );
}

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
const CALLS = {
  operationId: "Operation id",
  operationPath: "Operation path",
  workflowId: "Workflow",
} as const;

function Operation({ step, actions }: { step: StepCard; actions: VisualActions }) {
  const { run, isReadOnly } = actions;
  const { kind, label } = step.operation;
  if (kind === "none") return null;
  if (kind !== "x-operation") {
    return (
      <CommitField
        label={CALLS[kind]}
        pointer={`${step.pointer}/${kind}`}
        value={label}
        isReadOnly={isReadOnly}
        className={classes["wide"] ?? ""}
        onCommit={(text, after) =>
          run({ op: "setScalar", pointer: `${step.pointer}/${kind}`, value: text }, after)
        }
      />
    );
  }
  const [method = "", ...url] = label.split(" ");
  const written = method.toLowerCase();
  return (
    <>
      <ChoiceField
        label="Method"
        pointer={`${step.pointer}/x-operation/method`}
        value={written}
        isReadOnly={isReadOnly}
        data={METHODS.includes(written) ? METHODS : [written, ...METHODS]}
        onChoose={(value) => run({ op: "setScalar", pointer: `${step.pointer}/x-operation/method`, value })}
      />
      <CommitField
        label="URL"
        pointer={`${step.pointer}/x-operation/url`}
        value={url.join(" ")}
        isReadOnly={isReadOnly}
        className={classes["wide"] ?? ""}
        onCommit={(text, after) =>
          run({ op: "setScalar", pointer: `${step.pointer}/x-operation/url`, value: text }, after)
        }
      />
    </>
  );
}
