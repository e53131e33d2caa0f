import { Code, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { CopyTextButton } from "../../lib/copy-text-button.tsx";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { curlCommand } from "./curl-command.ts";
import classes from "./step-details.module.css";
import { formatJson } from "@waymark/journeys/report/format-json.ts";
import type { Exchange } from "./step-result.ts";
import { useRunStep } from "./use-journey-run.ts";

/** The request and the response of each attempt of a step, the last one first. */
export function Exchanges({ runId, seq }: { runId: string; seq: number }) {
  const step = useRunStep(runId, seq);
  if (step.isPending) return <Skeleton height={120} aria-label="Loading the request and the response" />;
  if (step.isLoadingError) return <ErrorAlert error={step.error} onRetry={() => void step.refetch()} />;
  return <EvidenceTabs evidence={step.data.result.evidence} />;
}

/** The last exchange of a step and those before; undefined: none that is kept. */
export function EvidenceTabs({
  evidence,
}: {
  evidence: (Exchange & { earlier?: readonly (Exchange & { attempt: number })[] | undefined }) | undefined;
}) {
  if (evidence === undefined)
    return <Text size="sm">The request and the response are not kept, or no longer kept.</Text>;
  return (
    <Stack gap="xs">
      <ExchangeTabs exchange={evidence} />
      {(evidence.earlier ?? []).toReversed().map((earlier) => (
        <details key={earlier.attempt}>
          <summary>
            Attempt {earlier.attempt}
            {earlier.response === undefined ? ", no response" : `, response ${earlier.response.status}`}
          </summary>
          <ExchangeTabs exchange={earlier} />
        </details>
      ))}
    </Stack>
  );
}

function ExchangeTabs({ exchange }: { exchange: Exchange }) {
  const { request, response } = exchange;
  return (
    <Tabs defaultValue={response === undefined ? "request" : "response"} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="request">Request</Tabs.Tab>
        {response !== undefined && <Tabs.Tab value="response">Response {response.status}</Tabs.Tab>}
        <Tabs.Tab value="curl">curl</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="request" pt="xs">
        <Message first={`${request.method} ${request.url}`} {...request} />
      </Tabs.Panel>
      {response !== undefined && (
        <Tabs.Panel value="response" pt="xs">
          <Message first={`${response.status} ${response.statusText ?? ""}`} {...response} />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="curl" pt="xs">
        <Curl request={request} />
      </Tabs.Panel>
      <Text size="sm" c="dimmed">
        {exchange.redactions > 0 && `${countOf(exchange.redactions, "hidden values")}. `}
        {exchange.truncated && "Long bodies are cut."}
      </Text>
    </Tabs>
  );
}

function Curl({ request }: { request: Parameters<typeof curlCommand>[0] }) {
  const { text, variables } = curlCommand(request);
  return (
    <Stack gap="xs" align="flex-start">
      <Code block tabIndex={0} w="100%" className={classes["message"] ?? ""} aria-label="Command of curl">
        {text}
      </Code>
      {variables.length > 0 && (
        <Text size="sm">Hidden values are variables. Set them before: {variables.join(", ")}.</Text>
      )}
      <CopyTextButton value={text} label="Copy the command" />
    </Stack>
  );
}

/** A request or response: its first line, its headers folded, and its body, formatted if it is JSON. */
function Message(props: { first: string; headers: readonly [string, string][]; body?: string | undefined }) {
  const { first, headers, body } = props;
  const hasBody = body !== undefined && body !== "";
  return (
    <Stack gap="xs">
      <Code block className="breaks">
        {first}
      </Code>
      {headers.length > 0 && (
        <details>
          <summary>{countOf(headers.length, "headers")}</summary>
          <Code block tabIndex={0} className={classes["message"] ?? ""} aria-label="Headers">
            {headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
          </Code>
        </details>
      )}
      {hasBody && (
        <Code block tabIndex={0} className={classes["message"] ?? ""} aria-label="Body">
          {formatJson(body) ?? body}
        </Code>
      )}
    </Stack>
  );
}
