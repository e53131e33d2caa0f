/** Limits of journeys' documents. Texts in bytes, names in Unicode characters. */
export const JOURNEY_LIMITS = {
  /** Documents of an organization that are not archived. */
  documentsMax: 2_000,
  /** The text of a journey or an overlay. */
  documentBytesMax: 4 * 1024 * 1024,
  /** The text of a description. */
  descriptionBytesMax: 10 * 1024 * 1024,
  changesetFilesMax: 200,
  pathMax: 400,
  messageMax: 1_000,
  repositoryMax: 500,
} as const;

/** The highest version of a document: Postgres stores versions as integers. */
export const VERSION_MAX = 2 ** 31 - 1;
