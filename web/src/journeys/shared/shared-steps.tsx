import { Badge, Code, List, Stack, Text, Title } from "@mantine/core";
import type { SharedJourneyRun, SharedStep } from "@waymark/shared/journey-runs/links/schema.ts";
import { describeContract } from "../run/describe-contract.ts";
import { describeMs } from "../run/describe-duration.ts";
import { describeStatus } from "../run/describe-status.ts";
import { EvidenceTabs } from "../run/exchange.tsx";
import { showValue } from "../run/show-value.ts";
import { WhyFailed } from "../run/why-failed.tsx";
import classes from "./shared-steps.module.css";

interface SeenStep {
  seq: number;
  result: SharedStep;
}

/** The steps of a shared run, in the order of their ends. The first that failed is open. */
export function SharedSteps(props: {
  steps: readonly SeenStep[];
  kept: SharedJourneyRun["kept"];
  withExchanges: boolean;
}) {
  const { steps, kept, withExchanges } = props;
  const firstWrong = steps.find(({ result }) => isWrong(result))?.seq;
  return (
    <section aria-labelledby="steps">
      <Title order={2} size="h3" id="steps" mb="xs">
        Steps
      </Title>
      {kept === "run" ? (
        <Text>The steps are no longer kept.</Text>
      ) : (
        <ul className={classes["list"]}>
          {steps.map(({ seq, result }) => (
            <li key={seq}>
              <details open={seq === firstWrong}>
                <summary className={classes["head"] ?? ""}>
                  <Head step={result} />
                </summary>
                <Details step={result} withExchanges={withExchanges} />
              </details>
            </li>
          ))}
        </ul>
      )}
      {kept === "run" || steps.length > 0 || <Text>No step was run.</Text>}
    </section>
  );
}

function isWrong({ status, handled }: SharedStep): boolean {
  return handled !== true && status !== "passed" && status !== "skipped";
}

function Head({ step }: { step: SharedStep }) {
  const { word, color } = describeStatus(step.status);
  return (
    <span className={classes["line"]}>
      <Badge color={color}>{word}</Badge>
      <span className="breaks">
        {step.workflow !== undefined && `${step.workflow} › `}
        <b>{step.id}</b>
        {step.phase === "teardown" && " (teardown)"}
        {step.handled === true && " (handled)"}{" "}
        <Text span size="sm" ff="monospace" c="dimmed">
          {operationOf(step)}
        </Text>
      </span>
      <Text span size="sm" c="dimmed" className={classes["time"] ?? ""}>
        {step.attempts.length > 1 && `${step.attempts.length} attempts, `}
        {step.status === "skipped" ? "" : describeMs(step.ms)}
      </Text>
    </span>
  );
}

function operationOf({ operation, external, calls }: SharedStep): string {
  if (operation !== undefined) return `${operation.method} ${operation.path}`;
  if (external !== undefined) return `${external.method} ${external.url ?? "of another server"}`;
  return calls === undefined ? "" : `workflow ${calls}`;
}

function Details({ step, withExchanges }: { step: SharedStep; withExchanges: boolean }) {
  const { reason, notes = [], assertions, contract, outputs = {}, evidence } = step;
  const outputNames = Object.keys(outputs);
  const contradictions = contract.filter(({ status }) => status === "failed");
  const hasCall = step.status !== "skipped" && step.calls === undefined;
  return (
    <Stack gap="sm" className={classes["details"] ?? ""}>
      {[...(reason === undefined ? [] : [reason]), ...notes].map((sentence) => (
        <Text size="sm" key={sentence} className="breaks">
          {sentence}
        </Text>
      ))}
      {assertions.length === 0 && contract.length === 0 && <Text size="sm">It has no assertions.</Text>}
      {assertions.length > 0 && (
        <List listStyleType="none" spacing={4} aria-label="Assertions">
          {assertions.map((assertion) => (
            <List.Item key={assertion.id} className="breaks">
              <Badge color={describeStatus(assertion.status).color}>
                {describeStatus(assertion.status).word}
              </Badge>{" "}
              <Code>{assertion.condition}</Code>
              {("actual" in assertion || assertion.explanation !== undefined) && (
                <Text size="sm">
                  <WhyFailed assertion={assertion} />
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      )}
      {contradictions.map(({ check, message, pointer }) => (
        <Text size="sm" key={`${check} ${pointer ?? ""}`} className="breaks">
          Contradicts the description: {message ?? check} {pointer !== undefined && <Code>{pointer}</Code>}
        </Text>
      ))}
      {describeContract(contract).map((line) => (
        <Text size="sm" c="dimmed" key={line}>
          {line}
        </Text>
      ))}
      {outputNames.length > 0 && (
        <List spacing={4} aria-label="Outputs">
          {outputNames.map((name) => (
            <List.Item key={name} className="breaks">
              {name}: <Code>{showValue(outputs[name])}</Code>
            </List.Item>
          ))}
        </List>
      )}
      {withExchanges && hasCall && <EvidenceTabs evidence={evidence} />}
    </Stack>
  );
}
