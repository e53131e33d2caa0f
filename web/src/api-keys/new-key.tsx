import { Alert, Button, Code, CopyButton, Group, Stack, Tabs, Text } from "@mantine/core";
import { ciSnippets } from "./ci-snippets.ts";

/** A key on the one occasion that it is shown, with what a pipeline needs to use it. */
export function NewKey({
  created,
  onDone,
}: {
  created: { rawKey: string; warning: string };
  onDone: () => void;
}) {
  const snippets = ciSnippets(location.origin);
  return (
    <Stack>
      <Alert color="yellow" title="Store it now">
        {created.warning}
      </Alert>
      <Group wrap="nowrap" align="center">
        <Code block className="breaks" data-testid="raw-key">
          {created.rawKey}
        </Code>
        <Copy value={created.rawKey} what="the key" />
      </Group>
      <Text size="sm">
        Put it into your pipeline's secrets as <Code>WAYMARK_API_KEY</Code>; the snippets take it from there.
      </Text>
      <Tabs defaultValue="github">
        <Tabs.List>
          {Object.entries(snippets).map(([id, { label }]) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(snippets).map(([id, { label, text }]) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Stack gap="xs" align="flex-start">
              <Code block tabIndex={0}>
                {text}
              </Code>
              <Copy value={text} what={`the ${label} snippet`} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Button onClick={onDone}>I have stored it</Button>
    </Stack>
  );
}

function Copy({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? "Copied" : `Copy ${what}`}
        </Button>
      )}
    </CopyButton>
  );
}
