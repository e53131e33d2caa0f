import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { Link } from "wouter";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { ExportButtons } from "../../lib/export-buttons.tsx";
import { FilterRow } from "../../lib/filters.tsx";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import type { ExportFields } from "../../lib/table-export.ts";
import { Time, TimeAgo } from "../../lib/time.tsx";
import { type UrlDialog, useUrlDialog } from "../../lib/use-url-state.ts";
import { useMay } from "../../lib/use-session.ts";
import { describeScope, summarizeScopes } from "../describe-scope.ts";
import { useTrustPolicies } from "./use-trust-policies.ts";

const load = () => import("./policy-dialogs.tsx");
const CreatePolicyDialog = lazyDialog(async () => (await load()).CreatePolicyDialog);
const ChangePolicyDialog = lazyDialog(async () => (await load()).ChangePolicyDialog);
const DeletePolicyDialog = lazyDialog(async () => (await load()).DeletePolicyDialog);
const UsePolicyDialog = lazyDialog(async () => (await load()).UsePolicyDialog);

export default function TrustPolicyListPage() {
  const policies = useTrustPolicies();
  const mayWrite = useMay("trust:write");
  const mayAudit = useMay("audit:read");
  const creating = useUrlDialog("new");
  const using = useUrlDialog("use");
  return (
    <Stack>
      <div>
        <Breadcrumbs steps={[{ href: "/api-keys", label: "API keys" }]} />
        <Group justify="space-between">
          <Title order={1}>Trust policies</Title>
          <Group gap="sm">
            {mayAudit && (
              <Button component={Link} href="/audit-log?action=token.exchanged" variant="default">
                Issued keys
              </Button>
            )}
            <Button onClick={() => creating.open("github")} disabled={!mayWrite}>
              Create a policy
            </Button>
          </Group>
        </Group>
      </div>
      <Text size="sm">
        With a trust policy, a build exchanges the token of its CI system for a key that lives for minutes. No
        key is stored in the CI system.
      </Text>
      <LacksPermission permission="trust:write" purpose="create or change trust policies" />
      {policies.isPending && <Skeleton height={480} aria-label="Loading the trust policies" />}
      {policies.isLoadingError && (
        <ErrorAlert error={policies.error} onRetry={() => void policies.refetch()} />
      )}
      {policies.data !== undefined && <PolicyTable policies={policies.data} using={using} />}
      {creating.value !== "" && mayWrite && (
        <CreatePolicyDialog
          system={creating.value}
          onCreated={({ id }) => {
            creating.discard();
            using.open(id);
          }}
          onClose={creating.close}
        />
      )}
    </Stack>
  );
}

function PolicyTable({ policies, using }: { policies: readonly TrustPolicy[]; using: UrlDialog }) {
  const mayWrite = useMay("trust:write");
  const changing = useUrlDialog("change");
  const deleting = useUrlDialog("delete");
  const opened = ({ value }: UrlDialog) => policies.find(({ id }) => id === value);
  const [used, changed, deleted] = [opened(using), opened(changing), opened(deleting)];
  return (
    <>
      {policies.length === 0 ? (
        <Text role="status">
          No trust policies yet. A policy says whose builds get keys, and with which permissions.
        </Text>
      ) : (
        <>
          <FilterRow
            actions={<ExportButtons name={["trust-policies"]} fields={EXPORTED} rows={policies} />}
          />
          <ResponsiveTable>
            <PolicyTableHead />
            <tbody>
              {policies.map((policy) => (
                <PolicyRow
                  key={policy.id}
                  policy={policy}
                  mayWrite={mayWrite}
                  onUse={() => using.open(policy.id)}
                  onChange={() => changing.open(policy.id)}
                  onDelete={() => deleting.open(policy.id)}
                />
              ))}
            </tbody>
          </ResponsiveTable>
        </>
      )}
      {used !== undefined && <UsePolicyDialog policy={used} onClose={using.close} />}
      {changed !== undefined && mayWrite && (
        <ChangePolicyDialog key={changed.id} policy={changed} onClose={changing.close} />
      )}
      {deleted !== undefined && mayWrite && <DeletePolicyDialog policy={deleted} onClose={deleting.close} />}
    </>
  );
}

function PolicyTableHead() {
  return (
    <thead>
      <tr>
        <th>Name</th>
        <th>Builds</th>
        <th>Permissions</th>
        <th>Keys are valid for</th>
        <th>Changed</th>
        <th>
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

function PolicyRow(props: {
  policy: TrustPolicy;
  mayWrite: boolean;
  onUse: () => void;
  onChange: () => void;
  onDelete: () => void;
}) {
  const { policy, mayWrite, onUse, onChange, onDelete } = props;
  const { name, issuer, conditions, scopes, lifetimeSeconds, expiresAt, warnings } = policy;
  return (
    <tr>
      <td className="breaks">
        <Anchor
          component="button"
          type="button"
          fw={600}
          ta="left"
          onClick={onUse}
          aria-label={`How builds use ${name}`}
        >
          {name}
        </Anchor>
        {expiresAt !== null && (
          <Text size="sm" c="dimmed">
            {Date.parse(expiresAt) <= Date.now() ? "ended" : "ends"} <Time at={expiresAt} day />
          </Text>
        )}
      </td>
      <td data-label="Builds" data-wide className="breaks">
        <div>of {issuer}</div>
        {Object.entries(conditions).map(([claim, accepted]) => (
          <div key={claim}>
            {claim}: {[accepted].flat().join(" or ")}
          </div>
        ))}
        {warnings.map((warning) => (
          <Text key={warning} size="sm" c="dimmed">
            Note: {warning}
          </Text>
        ))}
      </td>
      <td data-label="Permissions" data-wide className="breaks">
        {summarizeScopes(scopes)}
      </td>
      <td data-label="Keys are valid for">{describeSeconds(lifetimeSeconds)}</td>
      <td data-label="Changed">
        <TimeAgo at={policy.updatedAt} />
      </td>
      <td className="right">
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="xs"
            variant="default"
            disabled={!mayWrite}
            onClick={onChange}
            aria-label={`Change ${name}`}
          >
            Change
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={!mayWrite}
            onClick={onDelete}
            aria-label={`Delete ${name}`}
          >
            Delete…
          </Button>
        </Group>
      </td>
    </tr>
  );
}

function describeSeconds(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}

const EXPORTED: ExportFields<TrustPolicy> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  issuer: ({ issuer }) => issuer,
  audience: ({ audience }) => audience,
  conditions: ({ conditions }) =>
    Object.entries(conditions).map(([claim, accepted]) => `${claim}: ${[accepted].flat().join(" or ")}`),
  scopes: ({ scopes }) => scopes.map(describeScope),
  lifetimeSeconds: ({ lifetimeSeconds }) => lifetimeSeconds,
  allowedNetworks: ({ allowedNetworks }) => allowedNetworks ?? [],
  expiresAt: ({ expiresAt }) => expiresAt,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
};
