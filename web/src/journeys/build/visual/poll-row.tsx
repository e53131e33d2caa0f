import { CommitField } from "./commit-field.tsx";
import { removeFrom, setOrRemove } from "./commands.ts";
import type { StepCard } from "./outline.ts";
import type { FlowRows } from "./outline-flow.ts";
import { RemoveButton } from "./row-parts.tsx";
import { fieldText, fieldValue } from "./value-text.ts";
import type { VisualActions } from "./visual-actions.ts";
import classes from "./step-form.module.css";

const FIELDS = [
  { key: "everyMs", label: "Poll every, in ms" },
  { key: "maxMs", label: "For at most, in ms" },
] as const;

/** A request that is repeated until a condition holds. */
export function PollRow(props: {
  step: StepCard;
  poll: NonNullable<FlowRows["poll"]>;
  actions: VisualActions;
}) {
  const { step, poll, actions } = props;
  const { pointer, value, until, failWhen } = poll;
  const { run, isReadOnly } = actions;
  const extension = step.value["x-journey"];
  const members = typeof extension === "object" && extension !== null ? Object.keys(extension).length : 1;
  return (
    <div className={classes["row"]}>
      {FIELDS.map(({ key, label }) => (
        <CommitField
          key={key}
          label={label}
          pointer={`${pointer}/${key}`}
          value={fieldText(value[key])}
          isReadOnly={isReadOnly}
          onCommit={(text, after) =>
            run({ op: "setValue", pointer: `${pointer}/${key}`, value: fieldValue(text) }, after)
          }
        />
      ))}
      <CommitField
        label="Until"
        pointer={`${pointer}/until`}
        value={until}
        takes="condition"
        isReadOnly={isReadOnly}
        className={classes["wide"] ?? ""}
        onCommit={(text, after) => run({ op: "setScalar", pointer: `${pointer}/until`, value: text }, after)}
      />
      <CommitField
        label="Fail at once if"
        pointer={`${pointer}/failWhen`}
        value={failWhen}
        takes="condition"
        isReadOnly={isReadOnly}
        className={classes["wide"] ?? ""}
        onCommit={(text, after) =>
          run(setOrRemove(value, pointer, "failWhen", text === "" ? undefined : text), after)
        }
      />
      <RemoveButton
        label="Remove the poll"
        isReadOnly={isReadOnly}
        onRemove={() => run(removeFrom(members, pointer), { focus: step.stepId })}
      />
    </div>
  );
}
