import { Code, Group, NativeSelect, Text } from "@mantine/core";
import type { MergeChoice, MergePart } from "./merge-lines.ts";

const CHOICES: readonly { value: MergeChoice; label: string }[] = [
  { value: "mine", label: "Mine" },
  { value: "theirs", label: "Theirs" },
  { value: "both", label: "Theirs, then mine" },
];

/** Shows lines that both texts changed, with the choice of the lines for the merged text. */
export function ConflictingLines(props: {
  number: number;
  count: number;
  conflict: Extract<MergePart, { kind: "conflict" }>;
  choice: MergeChoice;
  onChoose: (choice: MergeChoice) => void;
}) {
  const { number, count, conflict, choice, onChoose } = props;
  const title = `Lines that both changed, ${number} of ${count}`;
  return (
    <section aria-label={title}>
      <Group align="end" mb="xs">
        <NativeSelect
          label={title}
          value={choice}
          data={[...CHOICES]}
          onChange={(event) => {
            const chosen = CHOICES.find(({ value }) => value === event.currentTarget.value);
            if (chosen !== undefined) onChoose(chosen.value);
          }}
        />
      </Group>
      {(["mine", "theirs"] as const).map((side) => (
        <div key={side}>
          <Text size="sm">{side === "mine" ? "Mine" : "Theirs"}</Text>
          <Code block tabIndex={0} aria-label={`${side === "mine" ? "My" : "Their"} lines ${number}`}>
            {conflict[side] === "" ? "(removed)" : conflict[side]}
          </Code>
        </div>
      ))}
    </section>
  );
}
