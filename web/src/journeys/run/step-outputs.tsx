import { Anchor, Code, List, Text, Title } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { Fragment } from "react";
import { Link } from "wouter";
import { type OutputReader, readersOfStep } from "./output-readers.ts";
import { showValue } from "./show-value.ts";
import type { RunStep } from "./step-result.ts";
import { useArtifact } from "./use-journey-run.ts";

export interface StepOutputsProps {
  run: JourneyRun;
  step: RunStep;
  /** All steps of the run. */
  steps: readonly RunStep[];
  /** A link to the step with this number was followed. */
  onFollow: (seq: number) => void;
}

/** Shows the outputs that a step derived from its response, and the steps that used them. */
export function StepOutputs(props: StepOutputsProps) {
  return Object.keys(props.step.result.outputs).length === 0 ? null : <Outputs {...props} />;
}

function Outputs(props: StepOutputsProps) {
  const { run, step } = props;
  const artifact = useArtifact(run.artifact);
  const readers = artifact.data && readersOfStep(artifact.data, step.result);
  return (
    <div>
      <Title order={3} size="h5">
        Outputs
      </Title>
      <List spacing={4}>
        {Object.entries(step.result.outputs).map(([name, value]) => (
          <List.Item key={name} className="breaks">
            {name}: <Code>{showValue(value)}</Code>
            {readers !== undefined && <Readers {...props} readers={readers.get(name) ?? []} />}
          </List.Item>
        ))}
      </List>
      {artifact.isLoadingError && (
        <Text size="sm" c="dimmed">
          What uses them could not be read: {artifact.error.message}{" "}
          <Anchor component="button" type="button" size="sm" onClick={() => void artifact.refetch()}>
            Try again
          </Anchor>
        </Text>
      )}
    </div>
  );
}

function Readers(props: StepOutputsProps & { readers: readonly OutputReader[] }) {
  const { readers, step } = props;
  const { workflow } = step.result;
  if (readers.length === 0)
    return (
      <Text size="sm" c="dimmed">
        used by nothing
      </Text>
    );
  return (
    <Text size="sm" c="dimmed">
      used by{" "}
      {readers.map(({ step: id, parts }, at) => (
        <Fragment key={id ?? ""}>
          {at > 0 && ", "}
          {id === undefined ? (
            (workflow ?? "the journey")
          ) : (
            <>
              step <StepLink {...props} id={id} />
            </>
          )}{" "}
          ({parts.join(", ")})
        </Fragment>
      ))}
    </Text>
  );
}

/** Links to the step's next result. A step that was not run has none. */
function StepLink({ run, step, steps, id, onFollow }: StepOutputsProps & { id: string }) {
  const ends = steps.filter(({ result }) => result.id === id && result.workflow === step.result.workflow);
  const end = ends.find(({ seq }) => seq > step.seq) ?? ends[0];
  if (end === undefined) return id;
  return (
    <Anchor
      component={Link}
      href={`/journey-runs/${run.id}?step=${end.seq}`}
      onClick={() => onFollow(end.seq)}
      underline="always"
    >
      {id}
    </Anchor>
  );
}
