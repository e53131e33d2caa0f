import { Code, Text } from "@mantine/core";
import { useMemo } from "react";
import { countOf } from "../../lib/count-of.ts";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { compareTexts, type VersionText } from "./compare-texts.ts";

const ROWS_MAX = 200;

/** The steps, assertions and other fields in which two versions differ, wherever their lines are. */
export function MeaningChanges({ before, after }: { before: VersionText; after: VersionText }) {
  const changes = useMemo(
    () => compareTexts(before, after),
    [before.text, before.version, after.text, after.version],
  );
  if (typeof changes === "string") return <Text size="sm">{changes}</Text>;
  if (changes.length === 0)
    return (
      <Text size="sm" role="status">
        Both versions mean the same: only comments, layout or the order of keys differ.
      </Text>
    );
  return (
    <>
      <Text size="sm" role="status">
        {countOf(changes.length, "changes")}
        {changes.length > ROWS_MAX && `, of which the first ${ROWS_MAX} are shown`}
      </Text>
      <ResponsiveTable aria-label="Changes by steps and fields">
        <thead>
          <tr>
            <th>Where</th>
            <th>Change</th>
            <th>Before</th>
            <th>After</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, ROWS_MAX).map(({ key, where, kind, before: old, after: now }) => (
            <tr key={key}>
              <td className="breaks">{where}</td>
              <td data-label="Change">{kind}</td>
              <td data-label="Before" data-wide className="breaks">
                {old === undefined ? "–" : <Code>{old}</Code>}
              </td>
              <td data-label="After" data-wide className="breaks">
                {kind === "moved" || now === undefined ? (now ?? "–") : <Code>{now}</Code>}
              </td>
            </tr>
          ))}
        </tbody>
      </ResponsiveTable>
    </>
  );
}
