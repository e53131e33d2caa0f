import { Anchor, Code, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { serverAddress } from "./base-path.ts";
import { ciSnippets } from "./ci-snippets.ts";
import { CopyTextButton } from "./copy-text-button.tsx";
import { readPackedCommand } from "./packed-command.ts";

/** Ways to submit a scan to this server, each to be copied. */
export function SnippetTabs({ service }: { service?: string | undefined }) {
  const apiUrl = serverAddress();
  const { data } = useQuery({
    queryKey: ["packed-command"],
    queryFn: () => readPackedCommand(apiUrl),
    staleTime: Infinity,
    retry: false,
  });
  const packed = data ?? undefined;
  const snippets = Object.entries(ciSnippets({ apiUrl, service, packed }));
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
      {packed !== undefined && (
        <Text size="sm" mt="xs">
          Or download{" "}
          <Anchor href={packed.url} underline="always">
            {packed.name}
          </Anchor>{" "}
          and run it anywhere with Node 20.19 or later: npm install --global ./{packed.name}
        </Text>
      )}
    </Tabs>
  );
}
