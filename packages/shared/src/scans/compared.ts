const COMPARED = "The method, path, operationId, tags and summary of endpoints";
const NOT_COMPARED = "Parameters, request bodies and responses were not.";

/**
 * Returns what a comparison of two scans looked at and what it did not, for everybody who says that something changed, broke or
 * stayed: a scan has these fields only.
 *
 * @param options.findings whether findings were compared too
 */
export function describeCompared({ findings }: { findings: boolean }): string {
  return `${COMPARED}${findings ? ", and findings," : ""} were compared. ${NOT_COMPARED}`;
}
