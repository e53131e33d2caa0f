import { Anchor, Badge, Code } from "@mantine/core";
import { useContext } from "react";
import { Link } from "wouter";
import { describeStatus } from "../../run/describe-status.ts";
import { isWrong } from "../../run/step-result.ts";
import { WhyFailed } from "../../run/why-failed.tsx";
import { LastRunContext } from "./last-run.ts";
import classes from "./step-outcome.module.css";

/** Shows the outcome of the step in the run that was started beside it. */
export function StepOutcome({ stepId }: { stepId: string }) {
  const lastRun = useContext(LastRunContext);
  const step = lastRun?.steps?.get(stepId);
  if (step === undefined)
    return lastRun?.currentStep === stepId ? <Badge color="blue.8">running</Badge> : null;
  const { word, color } = describeStatus(step.result.status);
  return (
    <Badge color={color} title="In the run that was started here">
      {word}
    </Badge>
  );
}

/** The assertions that failed there, and the way to the step's request and response. */
export function StepOutcomeDetails({ stepId, isOpen }: { stepId: string; isOpen: boolean }) {
  const lastRun = useContext(LastRunContext);
  const step = lastRun?.steps?.get(stepId);
  if (step === undefined || lastRun === undefined || lastRun === null) return null;
  const { assertions, reason } = step.result;
  const failed = assertions.filter(({ status }) => status === "failed" || status === "error");
  const isReasonShown = reason !== undefined && isWrong(step.result);
  if (failed.length === 0 && !isReasonShown && !isOpen) return null;
  return (
    <div className={classes["details"]}>
      {isReasonShown && <div>{reason}</div>}
      {failed.map((assertion) => (
        <div key={assertion.id}>
          Failed: <Code>{assertion.condition}</Code> <WhyFailed assertion={assertion} />
        </div>
      ))}
      <Anchor component={Link} href={`/journey-runs/${lastRun.run.id}?step=${step.seq}`} underline="always">
        Request and response of {stepId}
      </Anchor>
    </div>
  );
}
