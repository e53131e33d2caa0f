import { Suspense, useState } from "react";
import { lazyPart } from "../../../lib/lazy-part.tsx";
import type { StepCard } from "./outline.ts";
import classes from "./step-item.module.css";

const SubJourneySteps = lazyPart(
  "What shows these steps",
  async () => (await import("./sub-journey-steps.tsx")).SubJourneySteps,
);

/** The steps of the workflow that a step calls, folded until somebody wants to read them. */
export function SubJourney({ step }: { step: StepCard }) {
  const [isOpen, setIsOpen] = useState(false);
  const { kind, label } = step.operation;
  if (kind !== "workflowId") return null;
  return (
    <details className={classes["sub"]} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Steps of workflow {label}</summary>
      {isOpen && (
        <Suspense>
          <SubJourneySteps workflowId={label} below={(inner) => <SubJourney step={inner} />} />
        </Suspense>
      )}
    </details>
  );
}
