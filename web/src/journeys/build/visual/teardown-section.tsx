import { NativeSelect, Stack, Text, Title } from "@mantine/core";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { ChoiceField } from "./choice-field.tsx";
import { CommitField } from "./commit-field.tsx";
import { appendTo, removeFromExtension, setOrRemove } from "./commands.ts";
import type { WorkflowOutline } from "./outline.ts";
import { RemoveButton } from "./row-parts.tsx";
import type { VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

/** The steps that run after the workflow, however it ended. */
export function TeardownSection({
  workflow,
  actions,
}: {
  workflow: WorkflowOutline;
  actions: VisualActions;
}) {
  const { teardown, steps, workflowId } = workflow;
  const { run, isReadOnly } = actions;
  const ids = steps.map(({ stepId }) => stepId);
  return (
    <section aria-label={`Teardown of ${workflowId}`}>
      <Title order={3} size="h3" mb="xs">
        Teardown
      </Title>
      <Stack gap="sm">
        {teardown.length === 0 && <Text size="sm">None: what the steps make stays.</Text>}
        {teardown.map((row) => (
          <div key={row.pointer} className={classes["row"]}>
            <ChoiceField
              label="Step"
              pointer={`${row.pointer}/step`}
              value={row.step}
              isReadOnly={isReadOnly}
              data={[...new Set([row.step, ...ids])]}
              onChoose={(step) => run({ op: "setScalar", pointer: `${row.pointer}/step`, value: step })}
            />
            <CommitField
              label="If"
              pointer={`${row.pointer}/when`}
              value={row.when}
              isReadOnly={isReadOnly}
              className={classes["wide"] ?? ""}
              onCommit={(text, after) =>
                run(setOrRemove(row.value, row.pointer, "when", text === "" ? undefined : text), after)
              }
            />
            <RemoveButton
              label={`Remove ${row.step} from the teardown`}
              isReadOnly={isReadOnly}
              onRemove={() =>
                run(removeFromExtension(workflow, teardown.length, row.pointer), {
                  focus: `${workflowId} new teardown`,
                  said: `Removed ${row.step} from the teardown.`,
                })
              }
            />
          </div>
        ))}
        {!isReadOnly && (
          <NativeSelect
            size="xs"
            w="fit-content"
            aria-label="Add a step to the teardown"
            data-focus={`${workflowId} new teardown`}
            value=""
            data={[{ value: "", label: "Add a step to the teardown…" }, ...ids.filter((id) => id !== "")]}
            onChange={(event) => {
              const step = event.currentTarget.value;
              if (step !== "") run(addEntry(workflow, step));
            }}
          />
        )}
      </Stack>
    </section>
  );
}

function addEntry({ pointer, extension }: WorkflowOutline, step: string): EditCommand {
  const at = `${pointer}/x-journey`;
  if (extension === undefined) return { op: "setValue", pointer: at, value: { teardown: [{ step }] } };
  return appendTo(extension, at, "teardown", { step });
}
