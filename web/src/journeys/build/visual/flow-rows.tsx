import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { ChoiceField } from "./choice-field.tsx";
import { CommitField } from "./commit-field.tsx";
import { appendTo, removeFrom, setOrRemove } from "./commands.ts";
import type { StepCard, WorkflowOutline } from "./outline.ts";
import type { ActionRow } from "./outline-flow.ts";
import { PollRow } from "./poll-row.tsx";
import { AddButton, RemoveButton } from "./row-parts.tsx";
import { fieldText, fieldValue } from "./value-text.ts";
import type { AfterChange, VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

interface FlowProps {
  step: StepCard;
  workflow: WorkflowOutline;
  actions: VisualActions;
}

/** Shows how a step is repeated, and which step follows. */
export function FlowRows({ step, workflow, actions }: FlowProps) {
  const { flowRows, pointer, stepId, value } = step;
  const { run, isReadOnly } = actions;
  const add = (action: JsonObject & { name: string }) =>
    run(appendTo(value, pointer, "onFailure", action), { focus: `${stepId} ${action.name}` });
  const poll = { until: "$statusCode == 200", everyMs: 500, maxMs: 30_000 };
  return (
    <fieldset className={classes["rows"]} aria-label="Retries, jumps and polls">
      {flowRows.actions.map((row) => (
        <Action key={row.pointer} row={row} step={step} workflow={workflow} actions={actions} />
      ))}
      {flowRows.poll !== undefined && <PollRow step={step} poll={flowRows.poll} actions={actions} />}
      <div className={classes["row"]}>
        <AddButton
          isReadOnly={isReadOnly}
          onAdd={() =>
            add({ name: freeName(flowRows.actions, "retry"), type: "retry", retryAfter: 1, retryLimit: 2 })
          }
        >
          Add a retry
        </AddButton>
        <AddButton
          isReadOnly={isReadOnly}
          onAdd={() => add({ name: freeName(flowRows.actions, "jump"), type: "goto", stepId })}
        >
          Add a jump
        </AddButton>
        {flowRows.poll === undefined && (
          <AddButton isReadOnly={isReadOnly} onAdd={() => run(setExtension(step, poll))}>
            Add a poll
          </AddButton>
        )}
      </div>
    </fieldset>
  );
}

/** Adds the step's extension where it has none. */
function setExtension({ pointer, value }: StepCard, poll: JsonObject): EditCommand {
  return Object.hasOwn(value, "x-journey")
    ? { op: "setValue", pointer: `${pointer}/x-journey/poll`, value: poll }
    : { op: "setValue", pointer: `${pointer}/x-journey`, value: { poll } };
}

function freeName(actions: readonly ActionRow[], wanted: string): string {
  const taken = new Set(actions.map(({ name }) => name));
  if (!taken.has(wanted)) return wanted;
  let count = 2;
  while (taken.has(`${wanted}-${count}`)) count += 1;
  return `${wanted}-${count}`;
}

function Action({ row, step, workflow, actions }: FlowProps & { row: ActionRow }) {
  const { pointer, name, type, list, stepId, condition, count, value } = row;
  const { run, isReadOnly } = actions;
  const set = (key: string) => (next: JsonValue | undefined, after?: AfterChange) =>
    run(setOrRemove(value, pointer, key, next), after);
  const setNumber = (key: string) => (text: string, after: AfterChange) =>
    set(key)(text === "" ? undefined : fieldValue(text), after);
  const words = list === "onFailure" ? "On failure" : "On success";
  return (
    <div className={classes["row"]}>
      <CommitField
        label={`${words}, name`}
        pointer={`${pointer}/name`}
        value={name}
        focusName={`${step.stepId} ${name}`}
        isReadOnly={isReadOnly}
        onCommit={set("name")}
      />
      <ChoiceField
        label="Does"
        pointer={`${pointer}/type`}
        value={type}
        isReadOnly={isReadOnly}
        data={list === "onFailure" ? ["retry", "goto", "end"] : ["goto", "end"]}
        onChoose={set("type")}
      />
      {type === "retry" && (
        <>
          <CommitField
            label="After, in s"
            pointer={`${pointer}/retryAfter`}
            value={fieldText(value["retryAfter"])}
            isReadOnly={isReadOnly}
            onCommit={setNumber("retryAfter")}
          />
          <CommitField
            label="At most, times"
            pointer={`${pointer}/retryLimit`}
            value={fieldText(value["retryLimit"])}
            isReadOnly={isReadOnly}
            onCommit={setNumber("retryLimit")}
          />
        </>
      )}
      {type === "goto" && stepId !== undefined && (
        <ChoiceField
          label="To step"
          pointer={`${pointer}/stepId`}
          value={stepId}
          isReadOnly={isReadOnly}
          data={[...new Set([stepId, ...workflow.steps.map((one) => one.stepId)])]}
          onChoose={set("stepId")}
        />
      )}
      {condition !== undefined && (
        <CommitField
          label="If"
          pointer={`${pointer}/criteria`}
          value={condition}
          takes="condition"
          isReadOnly={isReadOnly}
          className={classes["wide"] ?? ""}
          onCommit={(text, after) => run(conditionCommand(row, text), after)}
        />
      )}
      <RemoveButton
        label={`Remove ${name}`}
        isReadOnly={isReadOnly}
        onRemove={() => run(removeFrom(count, pointer), { focus: step.stepId })}
      />
    </div>
  );
}

function conditionCommand({ value, pointer, condition }: ActionRow, text: string): EditCommand | undefined {
  if (text === "") return setOrRemove(value, pointer, "criteria", undefined);
  return condition === ""
    ? { op: "setValue", pointer: `${pointer}/criteria`, value: [{ condition: text }] }
    : { op: "setScalar", pointer: `${pointer}/criteria/0/condition`, value: text };
}
