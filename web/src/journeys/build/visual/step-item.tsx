import { Button, Group, UnstyledButton } from "@mantine/core";
import { Fragment, type KeyboardEvent } from "react";
import { OperationLine } from "../operations/operation-line.tsx";
import { CriterionBadge } from "../proofs/criterion-badge.tsx";
import { StepOutcome, StepOutcomeDetails } from "../proofs/step-outcome.tsx";
import { ArcParts } from "./arc-parts.tsx";
import type { ArcPart } from "./arcs.ts";
import { duplicateOf, freeStepId } from "./commands.ts";
import { Grip } from "./drag-list.tsx";
import type { StepCard, WorkflowOutline } from "./outline.ts";
import { OriginBadge } from "./origin.tsx";
import { StepForm } from "./step-form.tsx";
import { Lines, StepSummary } from "./step-summary.tsx";
import { SubJourney } from "./sub-journey.tsx";
import type { VisualActions } from "./visual-actions.ts";
import classes from "./step-item.module.css";

export interface StepItemProps {
  step: StepCard;
  /** The index of the step. */
  at: number;
  workflow: WorkflowOutline;
  arcs: readonly ArcPart[];
  isOpen: boolean;
  actions: VisualActions;
  /** Moves it before the step of an index, or behind the last one; then `focus` has the focus. */
  onMove: (gap: number, focus: string) => void;
  onInsertAfter: (stepId: string) => void;
}

/** A step of the list: what it calls, takes, asserts and gives; open, with its fields. */
export function StepItem(props: StepItemProps) {
  const { step, at, workflow, arcs, isOpen, actions, onMove } = props;
  const { stepId } = step;
  const showText = isOpen ? actions.showText(step.pointer) : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || actions.isReadOnly || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    onMove(event.key === "ArrowUp" ? at - 1 : at + 2, stepId);
  };
  return (
    <li className={classes["card"]} data-open={isOpen}>
      <ArcParts parts={arcs} />
      <UnstyledButton
        className={classes["head"] ?? ""}
        aria-expanded={isOpen}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        data-focus={stepId}
        onClick={() => actions.select(isOpen ? "" : stepId)}
        onKeyDown={onKeyDown}
      >
        <span className={classes["number"]}>{at + 1}</span>
        <span className="breaks">
          <b>{stepId === "" ? "(no id)" : stepId}</b> <OperationLine step={step} />{" "}
          <OriginBadge pointer={step.pointer} /> <StepOutcome stepId={stepId} />
          {criteriaOf(step).map((id) => (
            <Fragment key={id}>
              {" "}
              <CriterionBadge id={id} />
            </Fragment>
          ))}
        </span>
      </UnstyledButton>
      {!actions.isReadOnly && <Grip />}
      {isOpen ? <StepForm step={step} workflow={workflow} actions={actions} /> : <StepSummary step={step} />}
      <StepOutcomeDetails stepId={stepId} isOpen={isOpen} />
      {isOpen && step.flow.length > 0 && <Lines lines={step.flow} />}
      <SubJourney step={step} />
      {isOpen && (
        <Group gap="xs" className={classes["actions"] ?? ""}>
          {!actions.isReadOnly && <Changes {...props} />}
          {showText !== undefined && (
            <Button size="xs" variant="default" onClick={showText}>
              Show in the text
            </Button>
          )}
        </Group>
      )}
    </li>
  );
}

/** The acceptance criteria that its assertions prove. */
function criteriaOf({ assertions }: StepCard): string[] {
  return [...new Set(assertions.flatMap(({ proves }) => proves))];
}

function Changes({ step, at, workflow, actions, onMove, onInsertAfter }: StepItemProps) {
  const { stepId } = step;
  const { workflowId, steps } = workflow;
  const next = steps[at + 1] ?? steps[at - 1];
  const copy = freeStepId(workflow, stepId);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={at === 0}
        data-focus={`${stepId} up`}
        onClick={() => onMove(at - 1, `${stepId} up`)}
      >
        Move up
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={at === steps.length - 1}
        data-focus={`${stepId} down`}
        onClick={() => onMove(at + 2, `${stepId} down`)}
      >
        Move down
      </Button>
      <Button size="xs" variant="default" onClick={() => onInsertAfter(stepId)}>
        Insert a step after it…
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() => {
          actions.run(duplicateOf(workflow, step), {
            focus: copy,
            said: `Copied as ${copy}.`,
            onEnd: (isMade) => isMade && actions.select(copy),
          });
        }}
      >
        Duplicate
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() =>
          actions.run(
            { op: "removeStep", workflowId, stepId },
            { focus: next?.stepId ?? "", said: `Removed ${stepId}.` },
          )
        }
      >
        Remove
      </Button>
    </>
  );
}
