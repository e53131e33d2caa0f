import { Button, Code, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { PolicySeverity, type SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { type FormEvent, useState } from "react";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { useMay } from "../../lib/use-session.ts";
import { Deadlines, EditedDeadlines } from "./due-days.tsx";
import { useReplacePolicy, useSeverityPolicy } from "./use-severity-policy.ts";

const SEVERITIES = PolicySeverity.options.toReversed();

/** The organization's severities of rules and deadlines of findings. Renders nothing for somebody who may not set them, if there are none. */
export function PolicySection() {
  const policy = useSeverityPolicy();
  const mayManage = useMay("severities:manage");
  if (policy.isLoadingError) return <ErrorAlert error={policy.error} onRetry={() => void policy.refetch()} />;
  if (policy.data === undefined) return null;
  const { rules, dueDays } = policy.data;
  const deadlines = Object.values(dueDays).filter((days) => days !== null).length;
  if (rules.length + deadlines === 0 && !mayManage) return null;
  const parts = [rules.length === 0 ? "no rules" : countOf(rules.length, "rules")];
  if (deadlines > 0) parts.push(countOf(deadlines, "deadlines"));
  return (
    <details>
      <summary>Severity policy: {parts.join(", ")}</summary>
      <Text size="sm" c="dimmed">
        Scans of the command have these severities from now on, above those of repositories. Stored scans keep
        theirs.
      </Text>
      {mayManage ? (
        <>
          <EditedRules policy={policy.data} />
          <EditedDeadlines policy={policy.data} />
        </>
      ) : (
        <>
          {rules.length > 0 && <Rules rules={rules} />}
          <Deadlines dueDays={dueDays} />
        </>
      )}
    </details>
  );
}

type Rules = SeverityPolicy["rules"];

function Rules({ rules }: { rules: Rules }) {
  return (
    <ResponsiveTable>
      <thead>
        <tr>
          <th>Rule</th>
          <th>Severity</th>
        </tr>
      </thead>
      <tbody>
        {rules.map(({ code, severity }) => (
          <tr key={code}>
            <td className="breaks">
              <Code>{code}</Code>
            </td>
            <td data-label="Severity">{severity}</td>
          </tr>
        ))}
      </tbody>
    </ResponsiveTable>
  );
}

function EditedRules({ policy }: { policy: SeverityPolicy }) {
  const replace = useReplacePolicy(policy);
  const { rules } = policy;
  const without = (code: string) => rules.filter((rule) => rule.code !== code);
  const set = (code: string, severity: string, onSuccess?: () => void) =>
    replace.mutate(
      { rules: [...without(code), { code, severity: PolicySeverity.parse(severity) }] },
      onSuccess && { onSuccess },
    );
  return (
    <>
      {replace.error !== null && <RequestError title="The policy was not changed" error={replace.error} />}
      {rules.length > 0 && (
        <ResponsiveTable>
          <thead>
            <tr>
              <th>Rule</th>
              <th>Severity</th>
              <th>
                <span className="visually-hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rules.map(({ code, severity }) => (
              <tr key={code}>
                <td className="breaks">
                  <Code>{code}</Code>
                </td>
                <td data-label="Severity">
                  <NativeSelect
                    size="xs"
                    aria-label={`Severity of ${code}`}
                    data={SEVERITIES}
                    value={severity}
                    disabled={replace.isPending}
                    onChange={(event) => set(code, event.currentTarget.value)}
                  />
                </td>
                <td>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Remove ${code} from the policy`}
                    disabled={replace.isPending}
                    onClick={() => replace.mutate({ rules: without(code) })}
                  >
                    Remove
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </ResponsiveTable>
      )}
      <AddRule isPending={replace.isPending} onAdd={set} />
    </>
  );
}

function AddRule(props: {
  isPending: boolean;
  onAdd: (code: string, severity: string, onSuccess: () => void) => void;
}) {
  const { isPending, onAdd } = props;
  const [code, setCode] = useState("");
  const [severity, setSeverity] = useState("high");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAdd(code.trim(), severity, () => setCode(""));
  };
  return (
    <form onSubmit={submit} aria-label="Add a rule to the severity policy">
      <Group align="end" gap="sm" mt="xs">
        <TextInput
          label="Rule"
          placeholder="Code of a rule, such as security-defined"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          maxLength={SCAN_LIMITS.codeMax}
          w={320}
        />
        <NativeSelect
          label="Severity"
          data={SEVERITIES}
          value={severity}
          onChange={(event) => setSeverity(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={isPending} disabled={code.trim() === ""}>
          Set
        </Button>
      </Group>
    </form>
  );
}
