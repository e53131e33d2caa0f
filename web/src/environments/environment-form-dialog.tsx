import { Checkbox, TagsInput, Textarea, TextInput } from "@mantine/core";
import type { Environment, EnvironmentRequest } from "@waymark/shared/environments/schema.ts";
import { useState } from "react";
import { FormDialog } from "../lib/form-dialog.tsx";
import { type EnvironmentFormValues, type FieldProblems, readForm } from "./environment-form-values.ts";

interface Saving {
  isPending: boolean;
  error: Error | null;
  mutate: (request: EnvironmentRequest, options: { onSuccess: (saved: Environment) => void }) => void;
}

/** Creates an environment, or changes its settings. */
export function EnvironmentFormDialog(props: {
  title: string;
  initial: EnvironmentFormValues;
  saving: Saving;
  onSaved: (environment: Environment) => void;
  onClose: () => void;
}) {
  const { title, initial, saving, onSaved, onClose } = props;
  const [values, setValues] = useState(initial);
  const [problems, setProblems] = useState<FieldProblems>({});
  const submit = () => {
    const read = readForm(values);
    setProblems(read.problems ?? {});
    if (read.request !== undefined) saving.mutate(read.request, { onSuccess: onSaved });
  };
  return (
    <FormDialog
      title={title}
      size="lg"
      submitLabel="Save"
      request={saving}
      failureTitle="The environment was not saved"
      form={{ noValidate: true }}
      onSubmit={submit}
      onClose={onClose}
    >
      <SettingFields
        values={values}
        problems={problems}
        onChange={(changed) => setValues({ ...values, ...changed })}
      />
    </FormDialog>
  );
}

interface FieldsProps {
  values: EnvironmentFormValues;
  problems: FieldProblems;
  onChange: (changed: Partial<EnvironmentFormValues>) => void;
}

function SettingFields({ values, problems, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problems.name}
        required
        data-autofocus
      />
      <Textarea
        label="Servers"
        description="A line for each source of a journey. A source without one uses the servers of its own description."
        placeholder="orders=https://orders.staging.example.com/v1"
        value={values.servers}
        onChange={(event) => onChange({ servers: event.currentTarget.value })}
        error={problems.servers}
        rows={3}
        spellCheck={false}
      />
      <TagsInput
        label="Allowed hosts"
        description="What runs may connect to, such as *.example.com. Leave empty for the hosts of the servers."
        value={values.allowedHosts}
        onChange={(allowedHosts) => onChange({ allowedHosts })}
        error={problems.allowedHosts}
        clearable
        clearButtonProps={{ "aria-label": "Allow the hosts of the servers" }}
      />
      <JsonFields values={values} problems={problems} onChange={onChange} />
      <Checkbox
        label="Protected"
        description="Journeys run only in the versions that were released for this environment."
        checked={values.protected}
        onChange={(event) => onChange({ protected: event.currentTarget.checked })}
      />
      <Checkbox
        label="Store bodies"
        description="Results have the bodies of requests and responses, which may be personal data."
        checked={values.storesBodies}
        onChange={(event) => onChange({ storesBodies: event.currentTarget.checked })}
      />
    </>
  );
}

function JsonFields({ values, problems, onChange }: FieldsProps) {
  return (
    <>
      <Textarea
        label="Inputs"
        description="Values of journeys' inputs, as a JSON object. Secrets don't belong here."
        placeholder={'{ "customerId": "c-1" }'}
        value={values.inputs}
        onChange={(event) => onChange({ inputs: event.currentTarget.value })}
        error={problems.inputs}
        rows={3}
        spellCheck={false}
      />
      <Textarea
        label="Server variables"
        description="Values of variables in servers of descriptions, by source, as a JSON object."
        placeholder={'{ "payments": { "region": "eu" } }'}
        value={values.variables}
        onChange={(event) => onChange({ variables: event.currentTarget.value })}
        error={problems.variables}
        rows={2}
        spellCheck={false}
      />
    </>
  );
}
