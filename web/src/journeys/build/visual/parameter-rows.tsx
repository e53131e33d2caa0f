import { NativeSelect, Text } from "@mantine/core";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { useContext } from "react";
import {
  describeField,
  type KnownParameter,
  operationOf,
  OperationsContext,
  parameterOf,
} from "../operations/known-operation.ts";
import { ChoiceField } from "./choice-field.tsx";
import { CommitField } from "./commit-field.tsx";
import { appendTo, removeFrom } from "./commands.ts";
import type { ParameterRow, StepCard } from "./outline.ts";
import { AddButton, Note, RemoveButton } from "./row-parts.tsx";
import { fieldText, fieldValue } from "./value-text.ts";
import type { VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

/** Shows the parameters that a step sends, with their descriptions from the operation. */
export function ParameterRows({ step, actions }: { step: StepCard; actions: VisualActions }) {
  const { parameters } = step;
  const known = operationOf(useContext(OperationsContext), step.value)?.parameters ?? [];
  const missing = known.filter((one) => !parameters.some((row) => isOf(row, one)));
  return (
    <fieldset className={classes["rows"]}>
      <legend>Parameters</legend>
      {parameters.map((row, at) => (
        <Row
          key={row.pointer}
          row={row}
          at={at}
          known={known.find((one) => isOf(row, one))}
          step={step}
          actions={actions}
        />
      ))}
      <AddParameter step={step} missing={missing} actions={actions} />
    </fieldset>
  );
}

function isOf(row: ParameterRow, { name, in: place }: KnownParameter): boolean {
  return row.name === name && row.in === place;
}

interface RowProps {
  row: ParameterRow;
  at: number;
  known: KnownParameter | undefined;
  step: StepCard;
  actions: VisualActions;
}

function Row({ row, at, known, step, actions: { run, isReadOnly } }: RowProps) {
  const { parameters, stepId } = step;
  return (
    <div className={classes["row"]}>
      {row.reference === undefined ? (
        <>
          <CommitField
            label="Name"
            pointer={`${row.pointer}/name`}
            value={row.name}
            isReadOnly={isReadOnly}
            focusName={`${stepId} parameter ${at}`}
            onCommit={(name, after) =>
              run({ op: "setScalar", pointer: `${row.pointer}/name`, value: name }, after)
            }
          />
          {row.in !== undefined && (
            <ChoiceField
              label="In"
              pointer={`${row.pointer}/in`}
              value={row.in}
              isReadOnly={isReadOnly}
              data={[...new Set(["path", "query", "header", "cookie", row.in])]}
              onChoose={(value) => run({ op: "setScalar", pointer: `${row.pointer}/in`, value })}
            />
          )}
        </>
      ) : (
        <Text size="sm" className="breaks">
          {row.reference}
        </Text>
      )}
      <CommitField
        label="Value"
        pointer={`${row.pointer}/value`}
        value={fieldText(row.value)}
        hint={known && describeField(known)}
        options={known?.choices?.map((choice) => fieldText(choice))}
        takes="value"
        isReadOnly={isReadOnly}
        className={classes["wide"] ?? ""}
        onCommit={(text, after) =>
          run({ op: "setValue", pointer: `${row.pointer}/value`, value: fieldValue(text) }, after)
        }
      />
      <RemoveButton
        label={`Remove parameter ${row.name || row.reference}`}
        isReadOnly={isReadOnly}
        onRemove={() => run(removeFrom(parameters.length, row.pointer), { focus: stepId })}
      />
      {row.origins.length > 0 && <Note>from {row.origins.join(", ")}</Note>}
    </div>
  );
}

/** Adds one that the operation has, or another one. */
function AddParameter(props: { step: StepCard; missing: readonly KnownParameter[]; actions: VisualActions }) {
  const { step, missing, actions } = props;
  const { parameters, pointer, stepId, value } = step;
  const command = (parameter: JsonObject) => appendTo(value, pointer, "parameters", parameter);
  const after = { focus: `${stepId} parameter ${parameters.length}` };
  const addNew = () => actions.run(command(newParameter(step)), after);
  if (missing.length === 0 || actions.isReadOnly)
    return (
      <AddButton isReadOnly={actions.isReadOnly} onAdd={addNew}>
        Add a parameter
      </AddButton>
    );
  return (
    <NativeSelect
      size="xs"
      w="fit-content"
      aria-label="Add a parameter"
      value=""
      data={[
        { value: "", label: "Add a parameter…" },
        ...missing.map((one, at) => ({
          value: String(at),
          label: `${one.name} in ${one.in}${one.isRequired ? ", required" : ""}`,
        })),
        { value: "other", label: "Another one" },
      ]}
      onChange={(event) => {
        const chosen = missing[Number(event.currentTarget.value)];
        if (event.currentTarget.value === "") return;
        if (chosen === undefined) addNew();
        else actions.runLoaded(async () => command(await parameterOf(chosen)), after);
      }}
    />
  );
}

/** Parameters of a workflow are its inputs, which have no place. */
function newParameter({ operation }: StepCard): JsonObject {
  const parameter = { name: "name", value: "" };
  return operation.kind === "workflowId" ? parameter : { ...parameter, in: "query" };
}
