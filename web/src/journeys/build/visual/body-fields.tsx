import { Button } from "@mantine/core";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { useContext } from "react";
import {
  describeField,
  type KnownField,
  operationOf,
  OperationsContext,
  requestBodyOf,
} from "../operations/known-operation.ts";
import { CommitField } from "./commit-field.tsx";
import { setNarrowly, setOrRemove } from "./commands.ts";
import type { StepCard } from "./outline.ts";
import { fieldText, fieldValue } from "./value-text.ts";
import type { AfterChange, VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

const FIELDS_MAX = 50;

/** The request body: a field for each member that the operation's schema or the payload has, else the whole as JSON. */
export function BodyFields({ step, actions }: { step: StepCard; actions: VisualActions }) {
  const known = operationOf(useContext(OperationsContext), step.value)?.body;
  const { run, runLoaded, isReadOnly } = actions;
  const payload = step.body?.payload;
  const pointer = `${step.pointer}/requestBody/payload`;
  if (payload === undefined) {
    if (known === undefined || step.body !== undefined || isReadOnly) return null;
    const add = async (): Promise<EditCommand> => ({
      op: "setValue",
      pointer: `${step.pointer}/requestBody`,
      value: await requestBodyOf(known),
    });
    return (
      <Button size="xs" variant="default" w="fit-content" onClick={() => runLoaded(add)}>
        Add a request body
      </Button>
    );
  }
  const members = isObject(payload) ? membersOf(payload, known?.fields ?? []) : [];
  if (!isObject(payload) || members.length === 0 || members.length > FIELDS_MAX)
    return (
      <CommitField
        label="Request body"
        pointer={pointer}
        value={bodyText(payload)}
        isLong
        isReadOnly={isReadOnly}
        onCommit={(text, after) => run(setNarrowly(pointer, payload, fieldValue(text)), after)}
      />
    );
  return (
    <fieldset className={classes["rows"]}>
      <legend>Request body</legend>
      {members.map((field) => (
        <Member key={field.name} field={field} payload={payload} step={step} actions={actions} />
      ))}
    </fieldset>
  );
}

function Member(props: { field: KnownField; payload: JsonObject; step: StepCard; actions: VisualActions }) {
  const { field, payload, step, actions } = props;
  const { name, choices } = field;
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  const holder = `${step.pointer}/requestBody/payload`;
  const pointer = childPointer(holder, name);
  const commit = (text: string, after: AfterChange) =>
    actions.run(
      text === "" && typeof value !== "string"
        ? setOrRemove(payload, holder, name, undefined)
        : value === undefined
          ? { op: "setValue", pointer, value: fieldValue(text) }
          : setNarrowly(pointer, value, fieldValue(text)),
      after,
    );
  return (
    <CommitField
      label={name}
      pointer={pointer}
      value={bodyText(value)}
      hint={field.type === "" && field.description === "" ? undefined : describeField(field)}
      options={choices?.map((choice) => fieldText(choice))}
      takes="value"
      isReadOnly={actions.isReadOnly}
      onCommit={commit}
    />
  );
}

/** Those of the schema in its order, then others of the payload. */
function membersOf(payload: JsonObject, fields: readonly KnownField[]): KnownField[] {
  const named = new Set(fields.map(({ name }) => name));
  const others = Object.keys(payload).filter((name) => !named.has(name));
  return [
    ...fields,
    ...others.map((name) => ({ name, isRequired: false, type: "", choices: undefined, description: "" })),
  ];
}

function bodyText(value: JsonValue | undefined): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : fieldText(value);
}
