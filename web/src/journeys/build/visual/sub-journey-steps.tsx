import { Anchor, Skeleton, Text } from "@mantine/core";
import { type ReactNode, useContext } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../../../lib/error-alert.tsx";
import { NOTHING_KNOWN, OperationsContext, sourceAndName } from "../operations/known-operation.ts";
import { OperationLine } from "../operations/operation-line.tsx";
import type { StepCard, WorkflowOutline } from "./outline.ts";
import { StepSummary } from "./step-summary.tsx";
import { type LinkedJourney, SubJourneysContext } from "./sub-journeys-context.ts";
import { useLinkedOutline } from "./use-linked-outline.ts";

interface Shown {
  workflowId: string;
  /** Renders the part below a step. */
  below: (step: StepCard) => ReactNode;
}

/** The steps of a workflow of this document, or of one that it names as a source, for reading. */
export function SubJourneySteps({ workflowId, below }: Shown) {
  const { workflows, linked } = useContext(SubJourneysContext);
  const { source, name } = sourceAndName(workflowId);
  if (source === undefined) return <Steps workflows={workflows} workflowId={name} below={below} />;
  const journey = linked.find((one) => one.name === source);
  if (journey === undefined)
    return <Text size="sm">{`The stored documents have no source named ${source}.`}</Text>;
  return <LinkedSteps journey={journey} workflowId={name} below={below} />;
}

function LinkedSteps({ journey, workflowId, below }: Shown & { journey: LinkedJourney }) {
  const outline = useLinkedOutline(journey.documentId);
  if (outline.isPending) return <Skeleton height={80} aria-label="Loading the steps of the workflow" />;
  if (outline.isLoadingError)
    return <ErrorAlert error={outline.error} onRetry={() => void outline.refetch()} />;
  const { workflows, linked } = outline.data;
  return (
    <SubJourneysContext value={{ workflows: workflows ?? [], linked }}>
      <Text size="sm" className="breaks">
        In{" "}
        <Anchor component={Link} href={`/journeys/${journey.documentId}/edit`}>
          {journey.path}
        </Anchor>
        {workflows === undefined && ", whose steps its own page shows."}
      </Text>
      {workflows !== undefined && (
        <OperationsContext value={NOTHING_KNOWN}>
          <Steps workflows={workflows} workflowId={workflowId} below={below} />
        </OperationsContext>
      )}
    </SubJourneysContext>
  );
}

function Steps({ workflows, workflowId, below }: Shown & { workflows: readonly WorkflowOutline[] }) {
  const workflow = workflows.find((one) => one.workflowId === workflowId);
  if (workflow === undefined) return <Text size="sm">There is no workflow {workflowId}.</Text>;
  return (
    <ol aria-label={`Steps of workflow ${workflowId}`}>
      {workflow.steps.map((step) => (
        <li key={step.pointer}>
          <span className="breaks">
            <b>{step.stepId}</b> <OperationLine step={step} />
          </span>
          <StepSummary step={step} />
          {below(step)}
        </li>
      ))}
    </ol>
  );
}
