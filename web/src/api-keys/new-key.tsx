import { Alert, Button, Code, Group, Stack, Tabs, Text } from "@mantine/core";
import type { CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { CopyTextButton } from "../lib/copy-text-button.tsx";
import { ciSnippets } from "./ci-snippets.ts";

/** A new key, which is shown once, with CI jobs that use it. */
export function NewKey(props: { created: CreatedApiKeyResult; onCopied: () => void; onDone: () => void }) {
  const { created, onCopied, onDone } = props;
  const snippets = ciSnippets({ apiUrl: location.origin, service: onlyServiceOf(created) });
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
      <Tabs defaultValue="github">
        <Tabs.List>
          {Object.entries(snippets).map(([id, { label }]) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(snippets).map(([id, { label, where, text }]) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Stack gap="xs" align="flex-start">
              <Text size="sm">{where}</Text>
              <Code block tabIndex={0} w="100%">
                {text}
              </Code>
              <CopyTextButton value={text} label={`Copy the ${label} job`} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
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
