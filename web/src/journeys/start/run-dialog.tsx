import { NativeSelect, Select, Skeleton, TextInput } from "@mantine/core";
import { useState } from "react";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { FormDialog } from "../../lib/form-dialog.tsx";
import { useEnvironmentChoices } from "../../lib/use-choices.ts";
import { choiceText, inputValues, type RunInput } from "./run-inputs.ts";
import { SecretInput } from "./secret-input.tsx";
import { useRunInputs, useStartRun } from "./use-start-run.ts";

/** Asks for the environment and the inputs of a run, and starts it. */
export function RunDialog(props: {
  journeyId: string;
  onStarted: (runId: string) => void;
  onClose: () => void;
}) {
  const { journeyId, onStarted, onClose } = props;
  const environments = useEnvironmentChoices();
  const inputs = useRunInputs(journeyId);
  const start = useStartRun(journeyId);
  const [chosen, setChosen] = useState<string | null>(null);
  const [entered, setEntered] = useState<Record<string, string>>({});
  const environmentId = chosen ?? (environments.length === 1 ? (environments[0]?.id ?? null) : null);
  const submit = () => {
    if (environmentId === null || inputs.data === undefined) return;
    start.mutate(
      { environmentId, inputs: inputValues(inputs.data, entered) },
      { onSuccess: ({ runId }) => onStarted(runId) },
    );
  };
  return (
    <FormDialog
      title="Run the newest version"
      size="lg"
      submitLabel="Run"
      request={start}
      failureTitle="The run was not started"
      isDisabled={environmentId === null || inputs.data === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label="Environment"
        description="A protected one runs the released version instead."
        data={environments.map((one) => ({ value: one.id, label: one.name }))}
        value={environmentId}
        onChange={setChosen}
        nothingFoundMessage="There is no environment yet, or your key can't list them. The page Environments makes one."
        required
      />
      {inputs.isPending && <Skeleton height={60} aria-label="Loading the inputs" />}
      {inputs.isLoadingError && <ErrorAlert error={inputs.error} onRetry={() => void inputs.refetch()} />}
      {inputs.data?.map((input) => (
        <InputField
          key={input.name}
          input={input}
          environmentId={environmentId}
          value={entered[input.name] ?? ""}
          onChange={(value) => setEntered({ ...entered, [input.name]: value })}
        />
      ))}
    </FormDialog>
  );
}

function InputField(props: {
  input: RunInput;
  environmentId: string | null;
  value: string;
  onChange: (value: string) => void;
}) {
  const { input, environmentId, value, onChange } = props;
  const { name, description, isRequired, isSecret, choices, defaultValue } = input;
  if (isSecret) return <SecretInput input={input} environmentId={environmentId} />;
  const standard = defaultValue === undefined ? "" : `Default: ${choiceText(defaultValue)}. `;
  const empty = isRequired && defaultValue === undefined ? "Required, unless the environment has it. " : "";
  const common = { label: name, description: `${standard}${empty}${description}`.trim() || undefined };
  if (choices === undefined)
    return <TextInput {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <NativeSelect
      {...common}
      value={value}
      data={["", ...choices.map(choiceText)]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
