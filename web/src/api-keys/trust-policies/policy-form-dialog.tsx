import { Alert, List, Radio, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import type { TrustPolicy, TrustPolicyRequest } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { type ReactNode, useState } from "react";
import { ApiError } from "../../lib/api.ts";
import { FormDialog } from "../../lib/form-dialog.tsx";
import { useSession } from "../../lib/use-session.ts";
import { describeScope } from "../describe-scope.ts";
import { lifetimeChoices } from "../lifetimes.ts";
import { offeredBy } from "../../lib/permission-choice/offered.ts";
import { PermissionFields } from "../../lib/permission-choice/permission-fields.tsx";
import { ServiceNamesInput } from "../../lib/service-names-input.tsx";
import { CI_SYSTEMS, isCiSystem } from "./ci-systems.ts";
import { ConditionFields } from "./condition-fields.tsx";
import {
  type FieldProblems,
  NO_PROBLEMS,
  type PolicyForm,
  problemsOf,
  readForm,
  systemFields,
} from "./policy-form.ts";

interface Saving {
  isPending: boolean;
  error: Error | null;
  mutate: (
    request: TrustPolicyRequest,
    options: { onSuccess: (saved: TrustPolicy) => void; onError: (error: Error) => void },
  ) => void;
}

interface FieldsProps {
  form: PolicyForm;
  problems: FieldProblems;
  onChange: (changed: Partial<PolicyForm>) => void;
}

/** Creates a policy, or changes its settings. */
export function PolicyFormDialog(props: {
  title: ReactNode;
  initial: PolicyForm;
  /** The server's address, which tokens are for if nothing else is given. */
  ownAudience: string;
  /** True if the policy exists and has issued keys, which a change ends. */
  isChange?: boolean;
  saving: Saving;
  onSaved: (policy: TrustPolicy) => void;
  onClose: () => void;
}) {
  const { title, initial, ownAudience, isChange = false, saving, onSaved, onClose } = props;
  const [form, setForm] = useState(initial);
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const fields = {
    form,
    problems,
    onChange: (changed: Partial<PolicyForm>) => setForm({ ...form, ...changed }),
  };
  const submit = () => {
    const read = readForm(form, Date.now());
    setProblems(read.problems ?? NO_PROBLEMS);
    if (read.request === undefined) return;
    const onError = (error: Error) =>
      setProblems(error instanceof ApiError ? problemsOf(error.details, form) : NO_PROBLEMS);
    saving.mutate(read.request, { onSuccess: onSaved, onError });
  };
  return (
    <FormDialog
      title={title}
      size="lg"
      submitLabel={isChange ? "Save policy" : "Create policy"}
      request={saving}
      failureTitle="The policy was not saved"
      form={{ noValidate: true, autoComplete: "off" }}
      onSubmit={submit}
      onClose={onClose}
    >
      {isChange && (
        <Alert color="gray">
          A change of anything but the name ends the keys that the policy has issued. Builds that run now fail
          with their next request.
        </Alert>
      )}
      <BuildFields {...fields} />
      <ConditionFields
        system={form.system}
        conditions={form.conditions}
        problems={problems}
        onChange={(conditions) => fields.onChange({ conditions })}
      />
      <GrantFields {...fields} ownAudience={ownAudience} />
    </FormDialog>
  );
}

/** Shows the fields that say whose tokens are accepted. */
function BuildFields({ form, problems, onChange }: FieldsProps) {
  const { issuer } = CI_SYSTEMS[form.system];
  return (
    <>
      <TextInput
        label="Name"
        description="What it is for, for example: scans of acme"
        value={form.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problems.fields["name"]}
        required
        data-autofocus
      />
      <Radio.Group
        label="CI system"
        value={form.system}
        onChange={(system) => isCiSystem(system) && onChange(systemFields(system, form.conditions))}
      >
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs" mt="xs">
          {Object.entries(CI_SYSTEMS).map(([id, { label }]) => (
            <Radio key={id} value={id} label={label} />
          ))}
        </SimpleGrid>
      </Radio.Group>
      <TextInput
        label="Issuer"
        description={issuer.description}
        placeholder={issuer.placeholder}
        value={form.issuer}
        onChange={(event) => onChange({ issuer: event.currentTarget.value })}
        error={problems.fields["issuer"]}
        spellCheck={false}
        required
      />
    </>
  );
}

const LIFETIMES = [5, 15, 30, 60].map((minutes) => ({
  value: String(minutes * 60),
  label: `${minutes} minutes`,
}));

/** Shows the fields that say what builds get, and for how long. */
function GrantFields({ form, problems, onChange, ownAudience }: FieldsProps & { ownAudience: string }) {
  const { data: session } = useSession();
  const lifetime = String(form.lifetimeSeconds);
  const isUsual = LIFETIMES.some(({ value }) => value === lifetime);
  const expiries = lifetimeChoices(null);
  const isDate = !expiries.some(({ value }) => value === form.expiry);
  return (
    <>
      {form.keptScopes === undefined ? (
        <PermissionFields
          offered={offeredBy(session)}
          value={[...form.permissions]}
          onChange={(permissions) => onChange({ permissions })}
        />
      ) : (
        <KeptScopes scopes={form.keptScopes} />
      )}
      {problems.fields["scopes"] !== undefined && (
        <Alert color="red" role="alert" title="Permissions">
          {problems.fields["scopes"]}
        </Alert>
      )}
      {form.keptScopes === undefined && (
        <ServiceNamesInput value={form.services} onChange={(services) => onChange({ services })} />
      )}
      <Select
        label="Keys are valid for"
        data={isUsual ? LIFETIMES : [...LIFETIMES, { value: lifetime, label: `${lifetime} seconds` }]}
        value={lifetime}
        onChange={(value) => onChange({ lifetimeSeconds: Number(value ?? lifetime) })}
        allowDeselect={false}
        maw={200}
      />
      <TextInput
        label="Audience"
        description={`What tokens must be for. Leave empty for ${ownAudience}. On a server with several organizations it must contain your organization's id.`}
        value={form.audience}
        onChange={(event) => onChange({ audience: event.currentTarget.value })}
        error={problems.fields["audience"]}
        spellCheck={false}
      />
      <TextInput
        label="Only from these networks"
        description="Addresses or networks (203.0.113.0/24), comma-separated. Leave empty for any network."
        value={form.networks}
        onChange={(event) => onChange({ networks: event.currentTarget.value })}
        error={problems.fields["allowedNetworks"]}
      />
      <Select
        label="The policy ends after"
        description="From then on, it issues no keys."
        data={isDate ? [{ value: form.expiry, label: form.expiry.slice(0, 10) }, ...expiries] : expiries}
        value={form.expiry}
        onChange={(value) => onChange({ expiry: value ?? "never" })}
        error={problems.fields["expiresAt"]}
        allowDeselect={false}
        maw={200}
      />
    </>
  );
}

/** Shows scopes that were set by the API, with constraints that the form can't change. */
function KeptScopes({ scopes }: { scopes: readonly ApiKeyScope[] }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Permissions
      </Text>
      <Text size="sm" c="dimmed">
        They have constraints that only the API can change. They stay as they are.
      </Text>
      <List size="sm" className="breaks">
        {scopes.map((scope, index) => (
          <List.Item key={index}>{describeScope(scope)}</List.Item>
        ))}
      </List>
    </Stack>
  );
}
