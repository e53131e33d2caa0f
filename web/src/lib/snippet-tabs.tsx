import { Code, Stack, Tabs, Text } from "@mantine/core";
import { serverAddress } from "./base-path.ts";
import { ciSnippets } from "./ci-snippets.ts";
import { CopyTextButton } from "./copy-text-button.tsx";

/** Ways to submit a scan to this server, each to be copied. */
export function SnippetTabs({ service }: { service?: string | undefined }) {
  const snippets = Object.entries(ciSnippets({ apiUrl: serverAddress(), service }));
  return (
    <Tabs defaultValue="github">
      <Tabs.List>
        {snippets.map(([id, { label }]) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(([id, { label, where, text }]) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{where}</Text>
            <Code block tabIndex={0} w="100%">
              {text}
            </Code>
            <CopyTextButton value={text} label={`Copy the ${label} ${id === "curl" ? "command" : "job"}`} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
