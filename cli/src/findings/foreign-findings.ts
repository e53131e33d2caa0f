import { resolvePointer } from "@waymark/openapi/pointer.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { usageError } from "../lib/cli-error.ts";
import { fitText, plural, printable } from "../lib/text.ts";
import type { LocatedFinding } from "../openapi/located-finding.ts";
import { operationAt, type OperationPlace } from "../openapi/operation-place.ts";
import type { SpecReading } from "../openapi/read-spec.ts";
import type { ForeignFinding } from "./foreign-finding.ts";
import { localFiles, realPathOf } from "./local-files.ts";
import { operationFinder } from "./operation-finder.ts";
import type { NamedReport } from "./read-reports.ts";

/** The files that a message names. */
const NAMED_MAX = 5;

export interface ForeignOptions {
  reports: readonly NamedReport[];
  /** Severities by rule, which win over those of the reports. */
  severities: ReadonlyMap<string, Severity>;
  /** The root of the repository. */
  root: string;
  cwd: string;
  /** True if there is one description: a finding without a file is about it. */
  isOnly: boolean;
}

/** The findings of other tools, which the descriptions take that they are about. */
export interface ForeignFindings {
  /** Returns the findings about a description and the files that it refers to. */
  takeFor: (reading: Pick<SpecReading, "source" | "files" | "isSelected">) => LocatedFinding[];
  /** Reasons for which findings may be missing, one sentence each. */
  failures: readonly string[];
  /**
   * Describes the findings that no description took; undefined if all were taken.
   * @throws {CliError} if the report's files are not in the repository at all
   */
  leftOver: () => string | undefined;
}

export function foreignFindings(options: ForeignOptions): ForeignFindings {
  const { reports } = options;
  const known = new Map<string | undefined, string[]>();
  const filesOf = (named: string): string[] => {
    const found = known.get(named) ?? localFiles(named, options);
    known.set(named, found);
    return found;
  };
  const taken = new Set<ForeignFinding>();
  return {
    takeFor: ({ source, files, isSelected }) => {
      const own = new Map([source.file, ...files].map((file) => [realPathOf(file), file]));
      const findOperation = operationFinder(source.text, source.value);
      const fileOf = ({ file }: ForeignFinding): string | undefined => {
        if (file === undefined) return options.isOnly ? source.file : undefined;
        return filesOf(file)
          .map((each) => own.get(each))
          .find((each) => each !== undefined);
      };
      return reports.flatMap(({ findings }) =>
        findings.flatMap((finding) => {
          const file = fileOf(finding);
          if (file === undefined) return [];
          taken.add(finding);
          const isHere = file === source.file;
          const place = isHere ? placeOf(finding, source.value, findOperation) : undefined;
          if (place !== undefined && !isSelected(place.path, place.method)) return [];
          return [located(finding, { file, place, severities: options.severities })];
        }),
      );
    },
    failures: reports.flatMap(({ failures }) => failures),
    leftOver: () => describeLeftOver(reports, { taken, filesOf }),
  };
}

function located(
  { code, severity, message, line = 1, column = 1, helpUrl }: ForeignFinding,
  {
    file,
    place,
    severities,
  }: { file: string; place: OperationPlace | undefined; severities: ReadonlyMap<string, Severity> },
): LocatedFinding {
  return {
    code: fitText(code, SCAN_LIMITS.codeMax),
    severity: severities.get(code) ?? severity,
    message: fitText(message, SCAN_LIMITS.messageMax),
    method: place?.method ?? null,
    path: place?.path ?? null,
    file,
    position: () => ({ line, column }),
    helpUrl,
  };
}

/** Returns the operation of a finding that the description has; undefined for any other place. */
function placeOf(
  { operation, pointer, line, column = 1 }: ForeignFinding,
  value: unknown,
  findOperation: (line: number, column: number) => OperationPlace | undefined,
): OperationPlace | undefined {
  const place =
    operation ??
    (pointer === undefined ? undefined : operationAt(pointer)) ??
    (pointer === undefined && line !== undefined ? findOperation(line, column) : undefined);
  if (place === undefined || resolvePointer(value, ["paths", place.path]) === undefined) return undefined;
  const method = place.method?.toLowerCase();
  const has = method === undefined || resolvePointer(value, ["paths", place.path, method]) !== undefined;
  return has ? place : { ...place, method: null };
}

function describeLeftOver(
  reports: readonly NamedReport[],
  { taken, filesOf }: { taken: ReadonlySet<ForeignFinding>; filesOf: (named: string) => string[] },
): string | undefined {
  const left: ForeignFinding[] = [];
  for (const { name, findings } of reports) {
    const rest = findings.filter((finding) => !taken.has(finding));
    const files = [...new Set(rest.flatMap(({ file }) => file ?? []))];
    if (
      rest.length === findings.length &&
      files.length > 0 &&
      files.every((file) => filesOf(file).length === 0)
    ) {
      throw usageError(`${name}: no file that its findings name is here.`, {
        details: [
          `They name ${listed(files)}.`,
          "Run the tool on the same checkout. For a description from standard input, name its file with --stdin-name.",
        ],
      });
    }
    left.push(...rest);
  }
  if (left.length === 0) return undefined;
  const files = [...new Set(left.map(({ file }) => file ?? "no file"))];
  return `${plural(left.length, "finding")} of other tools left out, about what is not scanned: ${listed(files)}.`;
}

function listed(files: readonly string[]): string {
  const more = files.length - NAMED_MAX;
  const named = files.slice(0, NAMED_MAX).map((file) => printable(file, 200));
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
