import { Alert, Anchor, Badge, Code, List, Stack, Text, Title } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { Link } from "wouter";
import { useMay } from "../../lib/use-session.ts";
import { TextDifference } from "../text-difference/text-difference.tsx";
import { sortedJson, isStructure } from "./sorted-json.ts";
import { describeMs } from "./describe-duration.ts";
import { describeContract } from "./describe-contract.ts";
import { describeStatus } from "./describe-status.ts";
import { Exchanges } from "./exchange.tsx";
import { isOfJourney } from "./is-of-journey.ts";
import classes from "./step-details.module.css";
import { StepOutputs, type StepOutputsProps } from "./step-outputs.tsx";
import { isWrong, type StepResult } from "./step-result.ts";
import { WhyFailed } from "./why-failed.tsx";

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
        <Exchanges runId={run.id} seq={step.seq} />
      )}
    </Stack>
  );
}

/** Shows the reason why a step did not pass, apart from its assertions. */
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
              <WhyFailed assertion={assertion} />
            </Text>
            <Difference assertion={assertion} />
            <Text size="sm" c="dimmed">
              {assertion.id}, <Place run={run} {...assertion.source} />
            </Text>
          </List.Item>
        ))}
      </List>
    </div>
  );
}

/** Marks what differs between an expected object or list and the actual one; members in one order. */
function Difference({
  assertion: { status, actual, expected },
}: {
  assertion: StepResult["assertions"][number];
}) {
  if (status !== "failed" || !isStructure(actual) || !isStructure(expected)) return null;
  return (
    <TextDifference
      before={sortedJson(expected)}
      after={sortedJson(actual)}
      label="From the expected value to the actual one"
    />
  );
}

/** Shows the place of an assertion: a link, if it is in the text of the journey itself, whose version the run has. */
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

/** Links a failed step to the same step of the newest version, which may have changed since the run. */
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

/** Shows whether the response agrees with the API's description, apart from the assertions of the journey. */
function Contract({ step: { contract } }: { step: StepResult }) {
  if (contract.length === 0) return null;
  const wrong = contract.filter(({ status }) => status === "failed");
  return (
    <div>
      <Title order={3} size="h5">
        {wrong.length === 0 ? "Contract" : "Contradicts the description"}
      </Title>
      {wrong.length > 0 && (
        <List spacing={4}>
          {wrong.map(({ check, pointer, message }) => (
            <List.Item key={`${check} ${pointer ?? ""} ${message ?? ""}`} className="breaks">
              {message ?? check} {pointer !== undefined && <Code>{pointer}</Code>}
            </List.Item>
          ))}
        </List>
      )}
      {describeContract(contract).map((line) => (
        <Text size="sm" c="dimmed" key={line}>
          {line}
        </Text>
      ))}
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
