import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ExpressionInput } from "../expressions/expression-input.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { CommitField } from "./commit-field.tsx";
import { appendTo, removeFrom, setAssertionId, setOrRemove } from "./commands.ts";
import type { StepCard } from "./outline.ts";
import { fieldText, fieldValue } from "./value-text.ts";
import { AddButton, Note, RemoveButton } from "./row-parts.tsx";
import type { VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

interface RowsProps {
  step: StepCard;
  actions: VisualActions;
}

const TYPES = ["simple", "regex", "jsonpath", "xpath"];

export function AssertionRows(props: RowsProps & { workflowId: string }) {
  const { step, workflowId } = props;
  const { run, isReadOnly } = props.actions;
  const { assertions, pointer, stepId } = step;
  const condition = { condition: "$statusCode == 200" };
  const add = () =>
    run(appendTo(step.value, pointer, "successCriteria", condition), {
      focus: `${stepId} assertion ${assertions.length}`,
    });
  return (
    <fieldset className={classes["rows"]}>
      <legend>Assertions</legend>
      {assertions.map((row, at) => (
        <div key={row.pointer} className={classes["row"]}>
          <CommitField
            label="Id"
            pointer={`${row.pointer}/x-id`}
            value={row.id ?? ""}
            isReadOnly={isReadOnly}
            onCommit={(to, after) => run(setAssertionId({ workflowId, stepId }, row, to), after)}
          />
          <ChoiceField
            label="Type"
            pointer={`${row.pointer}/type`}
            value={row.type}
            isReadOnly={isReadOnly || row.hasVersion}
            data={TYPES}
            onChoose={(value) => run(typeCommand(row, value))}
          />
          {row.context !== undefined && (
            <CommitField
              label="Of"
              pointer={`${row.pointer}/context`}
              value={row.context}
              takes="result"
              isReadOnly={isReadOnly}
              onCommit={(context, after) =>
                run({ op: "setScalar", pointer: `${row.pointer}/context`, value: context }, after)
              }
            />
          )}
          <CommitField
            label="Condition"
            pointer={`${row.pointer}/condition`}
            value={row.condition}
            takes={row.type === "simple" ? "condition" : undefined}
            isReadOnly={isReadOnly}
            className={classes["wide"] ?? ""}
            focusName={`${stepId} assertion ${at}`}
            onCommit={(text, after) =>
              run({ op: "setScalar", pointer: `${row.pointer}/condition`, value: text }, after)
            }
          />
          <RemoveButton
            label={`Remove assertion ${row.id ?? at + 1}`}
            isReadOnly={isReadOnly}
            onRemove={() => run(removeFrom(assertions.length, row.pointer), { focus: stepId })}
          />
          {row.proves.length > 0 && <Note>proves {row.proves.join(", ")}</Note>}
        </div>
      ))}
      <AddButton isReadOnly={isReadOnly} onAdd={add}>
        Add an assertion
      </AddButton>
    </fieldset>
  );
}

/** Any type but "simple" needs a context. */
function typeCommand({ value, pointer, context }: StepCard["assertions"][number], type: string) {
  if (context !== undefined || type === "simple")
    return setOrRemove(value, pointer, "type", type === "simple" ? undefined : type);
  return { op: "setValue" as const, pointer, value: { ...value, context: "$response.body", type } };
}

export function OutputRows({ step, actions: { run, isReadOnly } }: RowsProps) {
  const { outputs, pointer, stepId } = step;
  return (
    <fieldset className={classes["rows"]}>
      <legend>Outputs</legend>
      {outputs.map((row) => (
        <div key={row.pointer} className={classes["row"]}>
          <CommitField
            label={row.name}
            pointer={row.pointer}
            value={fieldText(row.value)}
            takes="result"
            isReadOnly={isReadOnly}
            className={classes["wide"] ?? ""}
            onCommit={(text, after) =>
              run({ op: "setValue", pointer: row.pointer, value: fieldValue(text) }, after)
            }
          />
          <RemoveButton
            label={`Remove output ${row.name}`}
            isReadOnly={isReadOnly}
            onRemove={() => run(removeFrom(outputs.length, row.pointer), { focus: stepId })}
          />
          <Note>{row.users.length === 0 ? "used by nothing" : `used by ${row.users.join(", ")}`}</Note>
        </div>
      ))}
      {!isReadOnly && (
        <NewOutput
          onAdd={(name, value, onEnd) =>
            run(
              outputs.length === 0
                ? { op: "setValue", pointer: `${pointer}/outputs`, value: { [name]: value } }
                : { op: "setValue", pointer: `${pointer}/outputs/${name}`, value },
              { onEnd },
            )
          }
        />
      )}
    </fieldset>
  );
}

function NewOutput(props: {
  onAdd: (name: string, value: string, onEnd: (isMade: boolean) => void) => void;
}) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onAdd(name, value, (isMade) => {
      if (!isMade) return;
      setName("");
      setValue("");
    });
  };
  return (
    <form onSubmit={submit} className={classes["row"]}>
      <TextInput
        label="New output"
        size="xs"
        required
        pattern="[A-Za-z0-9._\-]+"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ExpressionInput
        label="Its value"
        size="xs"
        required
        className={classes["wide"] ?? ""}
        value={value}
        takes="result"
        onPick={setValue}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" className={classes["button"] ?? ""}>
        Add
      </Button>
    </form>
  );
}
