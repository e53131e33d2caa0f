import { Alert, Button, Group, Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { type FormEvent, useContext, useId, useState } from "react";
import { useReturnFocus } from "../../../lib/use-return-focus.ts";
import {
  callOf,
  type KnownOperation,
  operationOf,
  OperationsContext,
} from "../operations/known-operation.ts";
import { freeStepId } from "./commands.ts";
import type { WorkflowOutline } from "./outline.ts";

const KINDS = [
  { value: "operationId", label: "An operation of a description" },
  { value: "x-operation", label: "A URL" },
  { value: "workflowId", label: "Another workflow" },
];
const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];

/** Asks for a step's id and what it calls. The rest is set in its card. */
export function InsertStepDialog(props: {
  workflow: WorkflowOutline;
  /** The step that it follows; undefined for the end. */
  after: string | undefined;
  onInsert: (step: JsonObject & { stepId: string }, onRefused: () => void) => void;
  onClose: () => void;
}) {
  const { workflow, after, onInsert, onClose } = props;
  useReturnFocus();
  const [stepId, setStepId] = useState(() => freeStepId(workflow, "new-step"));
  const [kind, setKind] = useState("operationId");
  const [method, setMethod] = useState("get");
  const [target, setTarget] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const listId = useId();
  const known = useContext(OperationsContext);
  const operation = kind === "operationId" ? operationOf(known, { operationId: target }) : undefined;
  const call = async (): Promise<JsonObject> => {
    if (operation !== undefined) return callOf(operation);
    return kind === "x-operation" ? { "x-operation": { url: target, method } } : { [kind]: target };
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(undefined);
    void call().then(
      (called) => onInsert({ stepId, ...called }, () => setRefusal("The reason is on the page.")),
      (error: Error) => setRefusal(error.message),
    );
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={after === undefined ? "Insert a step" : `Insert a step after ${after}`}
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Step id"
            description="Letters, digits, - and _"
            required
            pattern="[A-Za-z0-9_\-]+"
            value={stepId}
            onChange={(event) => setStepId(event.currentTarget.value)}
            data-autofocus
          />
          <NativeSelect
            label="It calls"
            data={KINDS}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value)}
          />
          {kind === "x-operation" && (
            <NativeSelect
              label="Method"
              data={METHODS}
              value={method}
              onChange={(event) => setMethod(event.currentTarget.value)}
            />
          )}
          <TextInput
            label={kind === "x-operation" ? "URL" : kind === "workflowId" ? "Workflow id" : "Operation id"}
            required
            description={operation && describe(operation)}
            list={kind === "operationId" ? listId : undefined}
            value={target}
            onChange={(event) => setTarget(event.currentTarget.value)}
          />
          <datalist id={listId}>
            {known.operations.map(({ source, operationId, method: verb, path }) =>
              operationId === undefined ? null : (
                <option key={`${source} ${operationId}`} value={operationId}>
                  {`${verb.toUpperCase()} ${path}`}
                </option>
              ),
            )}
          </datalist>
          {refusal !== undefined && (
            <Alert color="red" role="alert" title="The step was not inserted">
              {refusal}
            </Alert>
          )}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Insert</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function describe({ method, path, summary }: KnownOperation): string {
  const called = `${method.toUpperCase()} ${path}`;
  return `${summary === "" ? called : `${called}: ${summary}`}. What it requires is filled in.`;
}
