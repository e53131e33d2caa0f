import { Badge } from "@mantine/core";
import { useContext } from "react";
import type { StepCard } from "../visual/outline.ts";
import classes from "../visual/step-item.module.css";
import { operationOf, OperationsContext } from "./known-operation.ts";

/** Shows the operation that a step calls, as the text has it, and its method and path in the stored descriptions. */
export function OperationLine({ step }: { step: StepCard }) {
  const known = useContext(OperationsContext);
  const { kind, label } = step.operation;
  const isNamed = kind === "operationId" || kind === "operationPath";
  const operation = isNamed ? operationOf(known, step.value) : undefined;
  const called = operation && `${operation.method.toUpperCase()} ${operation.path}`;
  // A place in a description says the same, and is longer.
  const written = called !== undefined && kind === "operationPath" ? undefined : label;
  return (
    <>
      {written !== undefined && (
        <span className={classes["operation"]}>
          {kind === "workflowId" ? `workflow ${written}` : written}
        </span>
      )}{" "}
      {called}
      {isNamed && operation === undefined && known.isComplete && (
        <Badge color="red.9">not in the stored descriptions</Badge>
      )}
    </>
  );
}
