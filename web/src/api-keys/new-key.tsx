import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import type { CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { CopyTextButton } from "../lib/copy-text-button.tsx";
import { serverAddress } from "../lib/base-path.ts";
import { SnippetTabs } from "../lib/snippet-tabs.tsx";

/** A new key, which is shown once, with CI jobs that use it, or for a personal key what to do with it. */
export function NewKey(props: {
  created: CreatedApiKeyResult;
  isPersonal: boolean;
  onCopied: () => void;
  onDone: () => void;
}) {
  const { created, isPersonal, onCopied, onDone } = props;
  return (
    <Stack>
      <Alert color="yellow" title="Save this key now">
        {created.warning}
      </Alert>
      <Stack gap="xs" align="flex-start">
        <Code block className="wraps" data-testid="raw-key" tabIndex={0} w="100%" onCopy={onCopied}>
          {created.rawKey}
        </Code>
        <CopyTextButton value={created.rawKey} label="Copy the key" onCopied={onCopied} />
      </Stack>
      {isPersonal ? (
        <Text size="sm">
          Sign in with it here, or give it to the command:{" "}
          <Code>waymark login --api-url {serverAddress()}</Code>. What you do with it is recorded in your
          name.
        </Text>
      ) : (
        <SnippetTabs service={onlyServiceOf(created)} />
      )}
      <Group>
        <Button onClick={onDone}>I've saved the key</Button>
      </Group>
    </Stack>
  );
}

/** The name of the service, if every scope is limited to that one service. */
function onlyServiceOf({ scopes }: CreatedApiKeyResult): string | undefined {
  const names = new Set(scopes.map((scope) => JSON.stringify(scope.resourceConstraints?.["serviceNames"])));
  const value = scopes[0]?.resourceConstraints?.["serviceNames"];
  if (names.size !== 1 || !Array.isArray(value) || value.length !== 1) return undefined;
  const name: unknown = value[0];
  return typeof name === "string" && !name.endsWith("*") ? name : undefined;
}
