import { Button, Group } from "@mantine/core";
import { exportFileName, type ExportFields, toCsv, toJson } from "./table-export.ts";

/** Some browsers read a download a moment after the click. */
const KEPT_MS = 60_000;

/** Downloads the rows that a table shows, in its order. */
export function ExportButtons<Row>(props: {
  /** Parts of the file's name: the service and what the rows are. */
  name: readonly string[];
  /** What the rows are, if the page has several tables. */
  what?: string;
  fields: ExportFields<Row>;
  rows: readonly Row[];
}) {
  const { name, what, fields, rows } = props;
  const download = what === undefined ? "Download" : `Download ${what}`;
  return (
    <Group gap={6} wrap="nowrap">
      <Button
        size="xs"
        variant="default"
        aria-label={`${download} as CSV`}
        onClick={() => save(exportFileName(name, "csv"), "text/csv", toCsv(fields, rows))}
      >
        CSV
      </Button>
      <Button
        size="xs"
        variant="default"
        aria-label={`${download} as JSON`}
        onClick={() => save(exportFileName(name, "json"), "application/json", toJson(fields, rows))}
      >
        JSON
      </Button>
    </Group>
  );
}

function save(fileName: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
