import type { StepCard } from "./outline.ts";
import { fieldText } from "./value-text.ts";
import classes from "./step-item.module.css";

/** Lists in words the inputs, the assertions and the outputs of a step, and the steps that it leads to. */
export function StepSummary({ step }: { step: StepCard }) {
  const { parameters, body, assertions, outputs, flow } = step;
  const takes = [
    ...parameters.map(({ name, reference, value, origins }) =>
      reference === undefined ? `${name} ← ${origins.join(", ") || fieldText(value)}` : reference,
    ),
    ...(body === undefined ? [] : [`body${body.origins.length > 0 ? ` ← ${body.origins.join(", ")}` : ""}`]),
  ];
  const asserts = assertions.map(({ id, condition, proves }) => {
    const named = id === undefined ? condition : `${id}: ${condition}`;
    return proves.length === 0 ? named : `${named} (proves ${proves.join(", ")})`;
  });
  const gives = outputs.map(({ name, users }) =>
    users.length === 0 ? name : `${name} → ${users.join(", ")}`,
  );
  return (
    <Lines
      lines={[
        ...(step.description === "" ? [] : [step.description]),
        ...takes.map((line) => `Takes ${line}`),
        ...asserts.map((line) => `Asserts ${line}`),
        ...gives.map((line) => `Gives ${line}`),
        ...flow,
      ]}
    />
  );
}

export function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul className={classes["lines"]}>
      {[...new Set(lines)].map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
