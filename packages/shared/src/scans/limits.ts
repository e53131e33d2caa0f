// Separate from the schemas, so that the command starts without loading zod.

/** Limits of the scan contract: items and Unicode characters. Source: the specification's table of limits. */
export const SCAN_LIMITS = {
  serviceNameMax: 120,
  specHashLength: 64,
  specVersionMax: 80,
  specTitleMax: 200,
  endpointsMax: 2000,
  findingsMax: 500,
  pathMax: 1000,
  operationIdMax: 200,
  tagsMax: 20,
  summaryMax: 300,
  codeMax: 120,
  messageMax: 500,
  bodyBytesMax: 10 * 1024 * 1024,
  specFileBytesMax: 10 * 1024 * 1024,
  descriptionBytesMax: 20 * 1024 * 1024,
} as const;

/** The maximum lengths of the fields of a scan's source, decoded. */
export const BRANCH_CHARS_MAX = 500;
export const REPOSITORY_CHARS_MAX = 500;
export const AUTHOR_CHARS_MAX = 100;

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"] as const;

/** From the least to the most severe. */
export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;
