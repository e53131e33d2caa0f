import { ofSourceFields, type ScanSource } from "@waymark/shared/scans/source/schema.ts";
import type { ExportFields } from "./table-export.ts";

const { url: buildUrl, ...others } = ofSourceFields(
  (_, name) => (row: { source: ScanSource | null }) => row.source?.[name] ?? null,
);

/** The columns of a source in exported tables. */
export const SOURCE_EXPORT: ExportFields<{ source: ScanSource | null }> = { ...others, buildUrl };
