import { Alert, Button, CloseButton, Group, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { CI_SYSTEMS, type CiSystemId } from "./ci-systems.ts";
import type { Condition, FieldProblems } from "./policy-form.ts";

/** The conditions of a policy: a field for each claim, and one to add others. */
export function ConditionFields(props: {
  system: CiSystemId;
  conditions: readonly Condition[];
  problems: FieldProblems;
  onChange: (conditions: readonly Condition[]) => void;
}) {
  const { system, conditions, problems, onChange } = props;
  const { advice, claims } = CI_SYSTEMS[system];
  const labelId = useId();
  const problem = problems.fields["conditions"];
  return (
    <div role="group" aria-labelledby={labelId}>
      <Stack gap="sm">
        <div>
          <Text fw={600} size="sm" id={labelId}>
            Conditions
          </Text>
          <Text size="sm" c="dimmed">
            A build gets a key if its token meets all conditions. {advice}
          </Text>
        </div>
        {problem !== undefined && (
          <Alert color="red" role="alert" title="These conditions are too wide or not complete">
            {problem}
          </Alert>
        )}
        {conditions.map((condition, index) => (
          <ConditionField
            key={condition.claim}
            condition={condition}
            known={claims.find(({ name }) => name === condition.claim)}
            problem={problems.claims[condition.claim]}
            onChange={(values) => onChange(conditions.with(index, { ...condition, values }))}
            onRemove={() => onChange(conditions.toSpliced(index, 1))}
          />
        ))}
        <AddCondition
          taken={conditions.map(({ claim }) => claim)}
          onAdd={(claim) => onChange([...conditions, { claim, values: [] }])}
        />
      </Stack>
    </div>
  );
}

function ConditionField(props: {
  condition: Condition;
  known: { label: string; description: string; placeholder: string } | undefined;
  problem: string | undefined;
  onChange: (values: string[]) => void;
  onRemove: () => void;
}) {
  const { condition, known, problem, onChange, onRemove } = props;
  const { claim, values } = condition;
  return (
    <TagsInput
      label={known === undefined ? claim : `${known.label} (${claim})`}
      description={known?.description ?? "Accepted values. * stands for any characters."}
      placeholder={values.length === 0 ? known?.placeholder : ""}
      value={[...values]}
      onChange={onChange}
      // Names of branches may contain commas.
      splitChars={["\n"]}
      error={problem}
      inputContainer={(children) =>
        known === undefined ? (
          <Group gap="xs" wrap="nowrap">
            <div style={{ flex: 1 }}>{children}</div>
            <CloseButton aria-label={`Remove the condition on ${claim}`} onClick={onRemove} />
          </Group>
        ) : (
          children
        )
      }
    />
  );
}

function AddCondition({ taken, onAdd }: { taken: readonly string[]; onAdd: (claim: string) => void }) {
  const [claim, setClaim] = useState("");
  const name = claim.trim();
  const add = () => {
    onAdd(name);
    setClaim("");
  };
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        label="Another claim"
        description="Its name in the token, or a JSON pointer such as /kubernetes.io/pod/name."
        value={claim}
        onChange={(event) => setClaim(event.currentTarget.value)}
        error={taken.includes(name) && "There is a condition on this claim."}
        spellCheck={false}
        autoComplete="off"
        style={{ flex: 1 }}
      />
      <Button variant="default" onClick={add} disabled={name === "" || taken.includes(name)}>
        Add condition
      </Button>
    </Group>
  );
}
