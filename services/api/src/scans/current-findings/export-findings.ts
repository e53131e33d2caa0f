import { type FindingPosition, positionOfFinding } from "@waymark/server/scans/current-findings/position.ts";
import type { ListedFinding } from "@waymark/server/scans/current-findings/queries.ts";
import type { CurrentFinding, ExportFormat } from "@waymark/shared/scans/current-findings/schema.ts";
import { ruleDocumentationOf } from "@waymark/shared/scans/rule-documentation.ts";
import {
  describeSarifRule,
  SARIF_LEVELS,
  SARIF_SCHEMA,
  sarifLogicalLocation,
  sarifSuppression,
} from "@waymark/shared/scans/sarif.ts";
import { VERSION } from "@waymark/shared/version.ts";

const PAGE_FINDINGS = 1_000;

export const MEDIA_TYPES = {
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
  sarif: "application/sarif+json; charset=utf-8",
} as const;

/** Reads a page of findings, up to `limit + 1`, with what is to be told about each. */
type ReadPage = (page: {
  limit: number;
  after: FindingPosition | null;
}) => Promise<readonly { listed: ListedFinding; finding: CurrentFinding }[]>;

/** The text of an export, a page of findings at a time. */
export function exportFindings(readPage: ReadPage, format: ExportFormat): AsyncGenerator<string> {
  return WRITERS[format](readPages(readPage));
}

async function* readPages(readPage: ReadPage): AsyncGenerator<readonly CurrentFinding[]> {
  let after: FindingPosition | null = null;
  for (;;) {
    const found: Awaited<ReturnType<ReadPage>> = await readPage({ limit: PAGE_FINDINGS, after });
    const page = found.slice(0, PAGE_FINDINGS);
    if (page.length > 0) yield page.map(({ finding }) => finding);
    const last = page.at(-1)?.listed;
    if (found.length <= PAGE_FINDINGS || last === undefined) return;
    after = positionOfFinding(last);
  }
}

type Pages = AsyncGenerator<readonly CurrentFinding[]>;

const WRITERS: Record<ExportFormat, (pages: Pages) => AsyncGenerator<string>> = {
  csv: writeCsv,
  json: writeJson,
  sarif: writeSarif,
};

const CSV_COLUMNS = [
  "severity",
  "code",
  "message",
  "method",
  "path",
  "serviceName",
  "serviceId",
  "scanRunId",
  "id",
  "decision",
  "reason",
  "until",
  "owner",
  "assignee",
  "dueOn",
  "isOverdue",
] as const;

async function* writeCsv(pages: Pages): AsyncGenerator<string> {
  yield `${CSV_COLUMNS.join(",")}\r\n`;
  for await (const page of pages)
    yield page
      .map((row) => `${CSV_COLUMNS.map((name) => csvCell(cellsOf(row)[name])).join(",")}\r\n`)
      .join("");
}

/** An open finding has empty cells for its decision. A team is named by its slug. */
function cellsOf(finding: CurrentFinding): Record<(typeof CSV_COLUMNS)[number], string | null> {
  const { decision, ownerTeam, isOverdue, ...row } = finding;
  const { kind = null, reason = null, until = null } = decision ?? {};
  const owner = ownerTeam?.slug ?? null;
  const assignee = assigneeOf(finding);
  return { ...row, decision: kind, reason, until, owner, assignee, isOverdue: String(isOverdue) };
}

/** Returns the slug of a team, or the name of a user; null if the finding is assigned to nobody. */
function assigneeOf({ assignee }: CurrentFinding): string | null {
  return assignee?.slug ?? assignee?.displayName ?? null;
}

/**
 * Where a spreadsheet may begin a cell: at the start, and after the separators of other locales, which it takes apart even where a
 * comma is expected. Quotes in between don't stop it.
 */
const FORMULA =
  /^(?="*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[;|\t\r\n])(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** A cell. An apostrophe makes a text of what spreadsheets would run as a formula. */
function csvCell(value: string | null): string {
  const text = (value ?? "").replaceAll(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* writeJson(pages: Pages): AsyncGenerator<string> {
  yield '{"findings":[';
  yield* writeItems(pages, (row) => row);
  yield "]}\n";
}

async function* writeItems(pages: Pages, toItem: (row: CurrentFinding) => unknown): AsyncGenerator<string> {
  let separator = "\n";
  for await (const page of pages) {
    yield separator + page.map((row) => JSON.stringify(toItem(row))).join(",\n");
    separator = ",\n";
  }
}

/** The rules come after the results, which is when they are known. */
async function* writeSarif(pages: Pages): AsyncGenerator<string> {
  const rules = new Map<string, CurrentFinding>();
  const fingerprint = createFingerprints();
  yield `{"$schema":${JSON.stringify(SARIF_SCHEMA)},"version":"2.1.0","runs":[{"results":[`;
  yield* writeItems(pages, (row) => {
    // The first one is the most severe.
    if (!rules.has(row.code)) rules.set(row.code, row);
    return sarifResult(row, fingerprint(row));
  });
  const described = [...rules.values()].map(({ code, severity }) =>
    describeSarifRule({ id: code, severity, helpUri: ruleDocumentationOf(code) ?? undefined }),
  );
  const driver = { name: "waymark", version: VERSION, rules: described };
  yield `],"tool":${JSON.stringify({ driver })}}]}\n`;
}

function sarifResult(row: CurrentFinding, fingerprint: string) {
  const { code, severity, message, method, path, serviceName, serviceId, scanRunId, decision, dueOn } = row;
  const place = [method, path].filter((part) => part !== null).join(" ");
  return {
    ruleId: code,
    level: SARIF_LEVELS[severity],
    message: { text: message },
    locations: [sarifLogicalLocation([serviceName, place].filter(Boolean).join(": "))],
    partialFingerprints: { "waymarkServiceFinding/v1": fingerprint },
    ...(decision !== null && { suppressions: [sarifSuppression({ ...decision, isInSource: false })] }),
    properties: {
      severity,
      serviceName,
      serviceId,
      scanRunId,
      owner: row.ownerTeam?.slug ?? null,
      assignee: assigneeOf(row),
      ...(dueOn !== null && { dueOn }),
    },
  };
}

/** Ids that a finding keeps from scan to scan; findings that are equal are numbered. */
function createFingerprints(): (row: CurrentFinding) => string {
  const counts = new Map<string, number>();
  return ({ id }) => {
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return `${id}${count === 0 ? "" : `-${count}`}`;
  };
}
