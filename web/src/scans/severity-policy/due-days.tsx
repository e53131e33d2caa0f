import { Button, Group, Text, TextInput } from "@mantine/core";
import { SEVERITY_POLICY_LIMITS } from "@waymark/shared/scans/severity-policy/limits.ts";
import type { DueDays, SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { type FormEvent, useState } from "react";
import { countOf } from "../../lib/count-of.ts";
import { RequestError } from "../../lib/request-error.tsx";
import { SEVERITIES } from "../../lib/severities.ts";
import { useReplacePolicy } from "./use-severity-policy.ts";

/** Says in how many days findings are due; nothing if no severity has a deadline. */
export function Deadlines({ dueDays }: { dueDays: DueDays }) {
  const set = SEVERITIES.flatMap((severity) => {
    const days = dueDays[severity];
    return days === null ? [] : [`${severity} in ${countOf(days, "days")}`];
  });
  if (set.length === 0) return null;
  return <Text size="sm">Findings are due after their service first had them: {set.join(", ")}.</Text>;
}

/** Sets the days of all severities together. */
export function EditedDeadlines({ policy }: { policy: SeverityPolicy }) {
  const replace = useReplacePolicy(policy);
  const stored = textsOf(policy.dueDays);
  const [shown, setShown] = useState(stored);
  const [typed, setTyped] = useState(stored);
  // Somebody may have changed them meanwhile.
  if (!isSame(shown, stored)) {
    setShown(stored);
    setTyped(stored);
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const dueDays = Object.fromEntries(
      SEVERITIES.map((severity) => [severity, typed[severity] === "" ? null : Number(typed[severity])]),
    );
    replace.mutate({ rules: policy.rules, dueDays });
  };
  return (
    <form onSubmit={submit} aria-label="Deadlines of findings">
      <Text size="sm" c="dimmed" mt="sm">
        Days from the one when a service first had a finding until it is due, by its severity. An open finding
        is overdue from the day after, also an old one. Without days, there is no deadline.
      </Text>
      {replace.error !== null && (
        <RequestError title="The deadlines were not changed" error={replace.error} />
      )}
      <Group align="end" gap="sm" mt="xs">
        {SEVERITIES.map((severity) => (
          <TextInput
            key={severity}
            type="number"
            label={severity}
            aria-label={`Days for ${severity}`}
            min={1}
            max={SEVERITY_POLICY_LIMITS.dueDaysMax}
            step={1}
            value={typed[severity]}
            onChange={(event) => setTyped({ ...typed, [severity]: event.currentTarget.value })}
            w={88}
          />
        ))}
        <Button type="submit" variant="default" loading={replace.isPending}>
          Save
        </Button>
        {replace.isSuccess && isSame(typed, stored) && <Text role="status">Saved.</Text>}
      </Group>
    </form>
  );
}

type Texts = Record<keyof DueDays, string>;

function isSame(one: Texts, other: Texts): boolean {
  return SEVERITIES.every((severity) => one[severity] === other[severity]);
}

function textsOf(dueDays: DueDays): Texts {
  const { critical, high, medium, low, info } = dueDays;
  const text = (days: number | null) => (days === null ? "" : String(days));
  return {
    critical: text(critical),
    high: text(high),
    medium: text(medium),
    low: text(low),
    info: text(info),
  };
}
