import { Button, NativeSelect, Stack, Text, Title } from "@mantine/core";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { CriterionBadge } from "../proofs/criterion-badge.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { CommitField } from "./commit-field.tsx";
import { appendTo, listChange, removeFromExtension } from "./commands.ts";
import type { AcceptanceRow, WorkflowOutline } from "./outline.ts";
import { RemoveButton } from "./row-parts.tsx";
import type { AfterChange, VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

const SEVERITIES = ["must", "should", "could"];

/** The acceptance criteria of a workflow, with the assertions that prove them. */
export function AcceptanceSection(props: { workflow: WorkflowOutline; actions: VisualActions }) {
  const { workflow, actions } = props;
  const { acceptance, workflowId } = workflow;
  const { run, isReadOnly } = actions;
  return (
    <section aria-label={`Acceptance criteria of ${workflowId}`}>
      <Title order={3} size="h3" mb="xs">
        Acceptance criteria
      </Title>
      <Stack gap="sm">
        {acceptance.length === 0 && <Text size="sm">None.</Text>}
        {acceptance.map((row) => (
          <Criterion key={row.pointer} row={row} workflow={workflow} actions={actions} />
        ))}
        {!isReadOnly && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            data-focus={`${workflowId} new criterion`}
            onClick={() =>
              run(newCriterion(workflow), { focus: `${workflowId} criterion ${acceptance.length}` })
            }
          >
            Add an acceptance criterion
          </Button>
        )}
      </Stack>
    </section>
  );
}

function newCriterion({ pointer, acceptance, extension }: WorkflowOutline): EditCommand {
  const taken = new Set(acceptance.map(({ id }) => id));
  let number = acceptance.length + 1;
  while (taken.has(`AC-${number}`)) number += 1;
  const criterion: JsonObject = {
    id: `AC-${number}`,
    text: "What must hold",
    severity: "must",
    provenBy: [],
  };
  if (extension === undefined)
    return { op: "setValue", pointer: `${pointer}/x-journey`, value: { acceptanceCriteria: [criterion] } };
  return appendTo(extension, `${pointer}/x-journey`, "acceptanceCriteria", criterion);
}

function Criterion(props: { row: AcceptanceRow; workflow: WorkflowOutline; actions: VisualActions }) {
  const { row, workflow, actions } = props;
  const { run, isReadOnly } = actions;
  const { pointer, id } = row;
  const setText = (key: string) => (text: string, after?: AfterChange) =>
    run({ op: "setScalar", pointer: `${pointer}/${key}`, value: text }, after);
  return (
    <div className={classes["row"]}>
      <CommitField
        label="Id"
        value={id}
        pointer={`${pointer}/id`}
        isReadOnly={isReadOnly}
        onCommit={setText("id")}
      />
      <ChoiceField
        label="Severity"
        pointer={`${pointer}/severity`}
        value={row.severity}
        isReadOnly={isReadOnly}
        data={[...new Set([...SEVERITIES, row.severity])]}
        onChoose={setText("severity")}
      />
      <CommitField
        label="What must hold"
        pointer={`${pointer}/text`}
        value={row.text}
        isReadOnly={isReadOnly}
        className={classes["wide"] ?? ""}
        focusName={row.focusName}
        onCommit={setText("text")}
      />
      <Proofs row={row} proofs={workflow.proofs} actions={actions} />
      <RemoveButton
        label={`Remove ${id}`}
        isReadOnly={isReadOnly}
        onRemove={() =>
          run(removeFromExtension(workflow, workflow.acceptance.length, pointer), {
            focus: `${workflow.workflowId} new criterion`,
            said: `Removed ${id}.`,
          })
        }
      />
    </div>
  );
}

/** The assertions that prove a criterion. A list with buttons: Mantine's MultiSelect alone is 12 kB. */
function Proofs(props: { row: AcceptanceRow; proofs: readonly string[]; actions: VisualActions }) {
  const { row, proofs, actions } = props;
  const { pointer, id, provenBy, hasProofs } = row;
  const change = (next: string[]) =>
    actions.run(
      hasProofs
        ? listChange(`${pointer}/provenBy`, provenBy, next)
        : { op: "setValue", pointer: `${pointer}/provenBy`, value: next },
    );
  const others = proofs.filter((proof) => !provenBy.includes(proof));
  return (
    <div className={classes["proofs"]}>
      <CriterionBadge id={id} />
      <Text size="xs" className="breaks">
        {provenBy.length === 0 ? "Proven by nothing yet" : `Proven by ${provenBy.join(", ")}`}
      </Text>
      {!actions.isReadOnly && (
        <NativeSelect
          size="xs"
          aria-label={`Proofs of ${id}`}
          value=""
          data={[
            { value: "", label: provenBy.length === 0 ? "Add a proof…" : "Change…" },
            ...others.map((proof) => ({ value: `+${proof}`, label: `Add ${proof}` })),
            ...provenBy.map((proof) => ({ value: `-${proof}`, label: `Remove ${proof}` })),
          ]}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            const proof = chosen.slice(1);
            if (chosen.startsWith("+")) change([...provenBy, proof]);
            if (chosen.startsWith("-")) change(provenBy.filter((one) => one !== proof));
          }}
        />
      )}
    </div>
  );
}
