import { Button, Group } from "@mantine/core";
import { useEffect, useState } from "react";
import { exportFileName, type ExportFields, toCsv, toJson } from "./table-export.ts";

/** Some browsers read a download a moment after the click. */
const KEPT_MS = 60_000;

const FORMATS = [
  { extension: "csv", label: "CSV", type: "text/csv", write: toCsv },
  { extension: "json", label: "JSON", type: "application/json", write: toJson },
] as const;

/** Downloads the rows that a table shows, in its order. */
export function ExportButtons<Row>(props: {
  /** Parts of the file's name: the service and what the rows are. */
  name: readonly string[];
  /** A word for the rows, if the page has several tables. */
  what?: string;
  fields: ExportFields<Row>;
  /** Undefined until all rows are there: a download waits for them. */
  rows: readonly Row[] | undefined;
}) {
  const { name, what, fields, rows } = props;
  const [wanted, setWanted] = useState<(typeof FORMATS)[number]>();
  useEffect(() => {
    if (wanted === undefined || rows === undefined) return;
    setWanted(undefined);
    save(exportFileName(name, wanted.extension), wanted.type, wanted.write(fields, rows));
  }, [wanted, rows, fields, name]);
  const download = what === undefined ? "Download" : `Download ${what}`;
  return (
    <Group gap={6} wrap="nowrap">
      {FORMATS.map((format) => (
        <Button
          key={format.extension}
          size="xs"
          variant="default"
          aria-label={`${download} as ${format.label}`}
          loading={wanted === format}
          onClick={() => setWanted(format)}
        >
          {format.label}
        </Button>
      ))}
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
