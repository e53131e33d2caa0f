import { Anchor, Badge, Button, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ApiKey, CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { SortHeader } from "../lib/sort-header.tsx";
import { sortingOf } from "../lib/sorting.ts";
import { Time, TimeAgo, TimeUntil } from "../lib/time.tsx";
import { useUrlDialog, useUrlState } from "../lib/use-url-state.ts";
import { hasPermission } from "../lib/permissions.ts";
import { useMay, useSession } from "../lib/use-session.ts";
import { summarizeScopes } from "./describe-scope.ts";
import { EXPORTED_KEY } from "./exported-fields.ts";
import { expiresSoon, filterKeys, KEY_FILTERS, ownersOf } from "./filter-keys.ts";
import { relatedKeys } from "./key-lineage.ts";
import { KEY_STATE_COLORS, stateOf } from "./key-state.ts";
import { useApiKeys } from "./use-api-keys.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";

const ApiKeyDialog = lazyDialog(async () => (await import("./key-dialogs.ts")).ApiKeyDialog);
const CreateKeyDialog = lazyDialog(async () => (await import("./key-dialogs.ts")).CreateKeyDialog);
const NewKeyDialog = lazyDialog(async () => (await import("./key-dialogs.ts")).NewKeyDialog);

/** Has a contrast of at least 4.5:1 to white text, in both colour schemes. */
const SOON_COLOR = "#b23c0a";

export default function ApiKeyListPage() {
  const keys = useApiKeys();
  const { data: session } = useSession();
  const mayTrust = useMay("trust:read");
  const creating = useUrlDialog("new");
  const [forAccount, setForAccount] = useUrlState("for");
  const [first] = useUrlState("first");
  const [created, setCreated] = useState<CreatedApiKeyResult>();
  const mayCreate = session !== null && session !== undefined && hasPermission(session, "api-keys:create");
  // The account is that of one key: the next one is for nobody until one is chosen.
  const forgetAccount = () => forAccount !== "" && setForAccount("");
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>API keys</Title>
        <Group gap="sm">
          {mayTrust && (
            <Button component={Link} href="/trust-policies" variant="default">
              Trust policies
            </Button>
          )}
          <Button component={Link} href="/audit-log" variant="default">
            Audit log
          </Button>
          <Button component={Link} href="/limits" variant="default">
            Limits
          </Button>
          <Button onClick={() => creating.open("ci-scan")} disabled={!mayCreate}>
            Create a key
          </Button>
        </Group>
      </Group>
      {first === "scan" && creating.value === "" && created === undefined && <BackToFirstScan />}
      <LacksPermission permission="api-keys:create" purpose="create keys" />
      {keys.isPending && <Skeleton height={480} aria-label="Loading the keys" />}
      {keys.isLoadingError && <ErrorAlert error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data !== undefined && (
        <ApiKeyTable apiKeys={keys.data} ownId={session?.apiKeyId} onRotated={setCreated} />
      )}
      {creating.value !== "" && mayCreate && (
        <CreateKeyDialog
          preset={creating.value}
          {...(forAccount !== "" && { forAccount })}
          onCreated={(result) => {
            setCreated(result);
            creating.discard();
            forgetAccount();
          }}
          onClose={() => {
            creating.close();
            forgetAccount();
          }}
        />
      )}
      {created !== undefined && <NewKeyDialog created={created} onClose={() => setCreated(undefined)} />}
    </Stack>
  );
}

/** Leads back to the page that waits for the first scan, which somebody left to create a key. */
function BackToFirstScan() {
  return (
    <Group gap="sm">
      <Button component={Link} href="/">
        Back to the first scan
      </Button>
      <Text size="sm">It shows the job for your pipeline, and the scan as soon as it arrives.</Text>
    </Group>
  );
}

function ApiKeyTable(props: {
  apiKeys: readonly ApiKey[];
  ownId: string | undefined;
  onRotated: (created: CreatedApiKeyResult) => void;
}) {
  const { apiKeys, ownId, onRotated } = props;
  const dialog = useUrlDialog("key");
  const opened = apiKeys.find((key) => key.id === dialog.value);
  const [text, setText] = useUrlState("q");
  const [state, setState] = useUrlState("state");
  const [owner, setOwner] = useUrlState("owner");
  const [order, setOrder] = useUrlState("sort");
  const owners = useMemo(() => ownersOf(apiKeys, owner), [apiKeys, owner]);
  const shown = useMemo(
    () => filterKeys(apiKeys, { text, state, owner }, order),
    [apiKeys, text, state, owner, order],
  );
  return (
    <>
      <Filters
        shown={shown.length}
        total={apiKeys.length}
        actions={<ExportButtons name={["api-keys"]} fields={EXPORTED_KEY} rows={shown} />}
      >
        <SearchFilter placeholder="Name, prefix or permission" value={text} onChange={setText} />
        <ChoiceFilter label="Status" value={state} values={KEY_FILTERS} onChange={setState} />
        {owners.length > 0 && (
          <ChoiceFilter label="Owner" value={owner} values={owners} onChange={setOwner} />
        )}
      </Filters>
      <ResponsiveTable>
        <KeyTableHead order={order} onOrder={setOrder} />
        <tbody>
          {shown.map((key) => (
            <ApiKeyRow
              key={key.id}
              apiKey={key}
              successor={apiKeys.find(({ id }) => id === key.replacedBy)}
              isOwn={key.id === ownId}
              onOpen={() => dialog.open(key.id)}
            />
          ))}
        </tbody>
      </ResponsiveTable>
      {shown.length === 0 && <Text role="status">No key matches these filters.</Text>}
      {opened !== undefined && (
        <ApiKeyDialog
          key={opened.id}
          apiKey={opened}
          related={relatedKeys(apiKeys, opened)}
          isOwn={opened.id === ownId}
          onRotated={(result) => {
            onRotated(result);
            dialog.discard();
          }}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

const HEADERS = [
  { id: "name", label: "Name" },
  { id: "status", label: "Status" },
  { label: "Key" },
  { label: "Scopes" },
  { id: "used", label: "Last used" },
  { id: "expires", label: "Expires" },
] as const;

function KeyTableHead({ order, onOrder }: { order: string; onOrder: (order: string) => void }) {
  return (
    <thead>
      <tr>
        {HEADERS.map((header) => {
          if (!("id" in header)) return <th key={header.label}>{header.label}</th>;
          const { sorted, next } = sortingOf(order, header.id);
          return (
            <th key={header.id} aria-sort={sorted ?? "none"}>
              <SortHeader label={header.label} sorted={sorted} onSort={() => onOrder(next)} />
            </th>
          );
        })}
        <th>
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

function ApiKeyRow(props: {
  apiKey: ApiKey;
  /** The key that it was rotated into, if it is known. */
  successor: ApiKey | undefined;
  isOwn: boolean;
  onOpen: () => void;
}) {
  const { apiKey, successor, isOwn, onOpen } = props;
  const mayAudit = useMay("audit:read");
  return (
    <tr>
      <td className="breaks" style={{ fontWeight: 600 }}>
        {apiKey.name} {isOwn && <Badge color="blue.8">current session</Badge>}
        {apiKey.ownerDisplayName !== null && (
          <Text size="sm" c="dimmed">
            of {apiKey.ownerDisplayName}
          </Text>
        )}
        <Successor apiKey={apiKey} successor={successor} />
      </td>
      <td data-label="Status">
        <Badge color={KEY_STATE_COLORS[stateOf(apiKey)]}>{stateOf(apiKey)}</Badge>
      </td>
      <td data-label="Key">
        <Code className="whole">{apiKey.prefix}…</Code>
      </td>
      <td data-label="Scopes" data-wide className="breaks">
        {summarizeScopes(apiKey.scopes)}
      </td>
      <td data-label="Last used">
        {apiKey.lastUsedAt === null ? "never" : <TimeAgo at={apiKey.lastUsedAt} />}
        {mayAudit && (
          <div>
            <Anchor
              component={Link}
              href={`/audit-log?by=${apiKey.id}`}
              size="sm"
              aria-label={`Activity of ${apiKey.name}`}
            >
              Activity
            </Anchor>
          </div>
        )}
      </td>
      <td data-label="Expires">
        <Expiry apiKey={apiKey} />
      </td>
      <td className="right">
        <Button size="xs" variant="default" onClick={onOpen} aria-label={`Details of ${apiKey.name}`}>
          Details
        </Button>
      </td>
    </tr>
  );
}

/** The day, and for an active key that ends within a month how long that is. */
function Expiry({ apiKey }: { apiKey: ApiKey }) {
  const { expiresAt } = apiKey;
  if (expiresAt === null) return <>never</>;
  return (
    <>
      <Time at={expiresAt} day />{" "}
      {expiresSoon(apiKey, Date.now()) && (
        <Badge color={SOON_COLOR}>
          <TimeUntil at={expiresAt} />
        </Badge>
      )}
    </>
  );
}

/** Shows the key that replaces this one since its rotation, and the time when this one expires. */
function Successor({ apiKey, successor }: { apiKey: ApiKey; successor: ApiKey | undefined }) {
  if (apiKey.replacedBy === null) return null;
  const { expiresAt, status } = apiKey;
  return (
    <Text size="sm" c="dimmed">
      replaced by{" "}
      <Anchor component={Link} href={`/api-keys?key=${apiKey.replacedBy}`} underline="always">
        {successor?.prefix ?? "another key"}
      </Anchor>
      {status === "active" && expiresAt !== null && (
        <>
          , ends <TimeUntil at={expiresAt} />
        </>
      )}
    </Text>
  );
}
