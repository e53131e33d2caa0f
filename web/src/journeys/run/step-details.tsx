import { Alert, Anchor, Badge, Code, List, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { useMay } from "../../lib/use-session.ts";
import { describeMs } from "./describe-duration.ts";
import { describeStatus } from "./describe-status.ts";
import { isOfJourney } from "./is-of-journey.ts";
import { showValue } from "./show-value.ts";
import classes from "./step-details.module.css";
import { StepOutputs, type StepOutputsProps } from "./step-outputs.tsx";
import { isWrong, type StepResult } from "./step-result.ts";
import { useRunStep } from "./use-journey-run.ts";

/** A step's assertions, contract checks, outputs, request and response. */
export function StepDetails(props: StepOutputsProps) {
  const { run, step } = props;
  const { result } = step;
  return (
    <Stack className={classes["details"] ?? ""} gap="md">
      <StepReason step={result} />
      <Assertions run={run} step={result} />
      <EditLink run={run} step={result} />
      <Contract step={result} />
      <StepOutputs {...props} />
      <Attempts step={result} />
      {result.status !== "skipped" && result.calls === undefined && (
        <Exchange runId={run.id} seq={step.seq} />
      )}
    </Stack>
  );
}

/** Why a step did not pass, apart from its assertions. */
function StepReason({ step }: { step: StepResult }) {
  if (step.reason === undefined && step.notes.length === 0) return null;
  return (
    <Alert color={isWrong(step) ? "red" : "gray"} role="note">
      <Stack gap={4}>
        {step.reason !== undefined && <Text size="sm">{step.reason}</Text>}
        {step.notes.map((note) => (
          <Text size="sm" key={note}>
            {note}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

function Assertions({ run, step: { assertions } }: { run: JourneyRun; step: StepResult }) {
  if (assertions.length === 0) return null;
  return (
    <div>
      <Title order={3} size="h5">
        Assertions
      </Title>
      <List listStyleType="none" spacing={4}>
        {assertions.map((assertion) => (
          <List.Item key={assertion.id} className="breaks">
            <Badge color={describeStatus(assertion.status).color}>
              {describeStatus(assertion.status).word}
            </Badge>{" "}
            <Code>{assertion.condition}</Code>
            <Text size="sm">
              {assertion.explanation ??
                (assertion.status === "failed" && (
                  <>
                    Actual: <Code>{showValue(assertion.actual)}</Code>, expected:{" "}
                    <Code>{showValue(assertion.expected)}</Code>
                  </>
                ))}
            </Text>
            <Text size="sm" c="dimmed">
              {assertion.id}, <Place run={run} {...assertion.source} />
            </Text>
          </List.Item>
        ))}
      </List>
    </div>
  );
}

/** Where an assertion is written: a link, if it is in the text of the journey itself, whose version the run has. */
function Place({ run, file, line }: { run: JourneyRun; file: string; line: number }) {
  const place = `${file}:${line}`;
  if (!isOfJourney(file, run.journeyPath)) return place;
  const query = new URLSearchParams({ tab: "text", version: String(run.version), line: String(line) });
  return (
    <Anchor component={Link} href={`/journeys/${run.journeyId}?${query}`}>
      {place}
    </Anchor>
  );
}

/** Where to fix a step that failed: as a step of the newest version, which may have changed since the run. */
function EditLink({ run, step }: { run: JourneyRun; step: StepResult }) {
  const mayWrite = useMay("journeys:write");
  if (!mayWrite || !isWrong(step) || step.workflow !== undefined) return null;
  return (
    <Anchor
      component={Link}
      href={`/journeys/${run.journeyId}/edit?${new URLSearchParams({ step: step.id })}`}
      size="sm"
    >
      Edit this step
    </Anchor>
  );
}

function Contract({ step }: { step: StepResult }) {
  const wrong = step.contract.filter(({ status }) => status === "failed");
  if (wrong.length === 0) return null;
  return (
    <div>
      <Title order={3} size="h5">
        Contradicts the description
      </Title>
      <List spacing={4}>
        {wrong.map(({ check, pointer, message }) => (
          <List.Item key={`${check} ${pointer ?? ""} ${message ?? ""}`} className="breaks">
            {message ?? check} {pointer !== undefined && <Code>{pointer}</Code>}
          </List.Item>
        ))}
      </List>
    </div>
  );
}

function Attempts({ step: { attempts } }: { step: StepResult }) {
  if (attempts.length < 2) return null;
  return (
    <div>
      <Title order={3} size="h5">
        Attempts
      </Title>
      <List type="ordered" spacing={4}>
        {attempts.map(({ n, ms, outcome, because }) => (
          <List.Item key={n} className="breaks">
            {outcome} after {describeMs(ms)}
            {because !== undefined && `: ${because}`}
          </List.Item>
        ))}
      </List>
    </div>
  );
}

function Exchange({ runId, seq }: { runId: string; seq: number }) {
  const step = useRunStep(runId, seq);
  if (step.isPending) return <Skeleton height={120} aria-label="Loading the request and the response" />;
  if (step.isLoadingError) return <ErrorAlert error={step.error} onRetry={() => void step.refetch()} />;
  const { evidence } = step.data.result;
  if (evidence === undefined)
    return <Text size="sm">The request and the response are not kept, or no longer kept.</Text>;
  const { request, response } = evidence;
  return (
    <Tabs defaultValue={response === undefined ? "request" : "response"} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="request">Request</Tabs.Tab>
        {response !== undefined && <Tabs.Tab value="response">Response {response.status}</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="request" pt="xs">
        <Message first={`${request.method} ${request.url}`} {...request} />
      </Tabs.Panel>
      {response !== undefined && (
        <Tabs.Panel value="response" pt="xs">
          <Message first={`${response.status} ${response.statusText ?? ""}`} {...response} />
        </Tabs.Panel>
      )}
      <Text size="sm" c="dimmed">
        {evidence.redactions > 0 && `${countOf(evidence.redactions, "hidden values")}. `}
        {evidence.truncated && "Long bodies are cut."}
      </Text>
    </Tabs>
  );
}

function Message(props: { first: string; headers: readonly [string, string][]; body?: string | undefined }) {
  const { first, headers, body } = props;
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)].join("\n");
  return (
    <Code block tabIndex={0} className={classes["message"] ?? ""}>
      {body === undefined || body === "" ? lines : `${lines}\n\n${body}`}
    </Code>
  );
}
