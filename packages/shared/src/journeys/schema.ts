import { z } from "zod";
import { JourneyRunStatus } from "../journey-runs/schema.ts";
import { carriesCredentials } from "../lib/carries-credentials.ts";
import { IsoDateTime, label, NO_CREDENTIALS, text, Uuid } from "../lib/schema.ts";
import { JOURNEY_LIMITS } from "./limits.ts";

export { JOURNEY_LIMITS } from "./limits.ts";

export const DocumentKind = z.enum(["journey", "overlay", "openapi"]).meta({
  id: "DocumentKind",
  description: "`openapi` is a description, or a part of one that it refers to.",
});

/**
 * A path as a repository lists it: segments with slashes between them. None begins with a dot, so that no client that writes files
 * leaves its folder or reaches settings such as `.git`.
 */
export const DocumentPath = label({ min: 1, max: JOURNEY_LIMITS.pathMax })
  .regex(
    /^[^./\\:][^/\\:]*(\/[^./\\:][^/\\:]*)*$/,
    "must be a relative path such as journeys/login.journey.yaml: no backslashes or colons, and no name that begins with a dot",
  )
  .meta({ id: "DocumentPath" });

/** The repository that owns documents, and the path in it. */
export const ManagedBy = z
  .strictObject({
    repository: label({ min: 1, max: JOURNEY_LIMITS.repositoryMax }).refine(
      (value) => !carriesCredentials(value),
      NO_CREDENTIALS,
    ),
  })
  .meta({ id: "ManagedBy" });

/** Where a text comes from, for people who look for its history. */
export const DocumentSource = z
  .strictObject({
    commit: label({ max: 200 }).optional(),
    branch: label({ max: 200 }).optional(),
    url: label({ max: 2_000 })
      .regex(/^https?:\/\//, "must be an http:// or https:// address")
      .refine((value) => !carriesCredentials(value), NO_CREDENTIALS)
      .optional(),
  })
  .meta({ id: "DocumentSource" });

/** A fault of a document. */
export const DocumentProblem = z
  .object({
    severity: z.enum(["error", "warning"]),
    code: z.string(),
    message: z.string(),
    pointer: z.string().meta({ description: "JSON Pointer into the document." }),
    file: z.string().meta({ description: "The path of the document that holds the fault." }),
    line: z.int(),
    column: z.int(),
  })
  .meta({ id: "DocumentProblem" });

const Verdict = z.object({
  problems: z.array(DocumentProblem).max(100).meta({ description: "Errors first." }),
  errorCount: z.int(),
  warningCount: z.int(),
  programId: z.string().nullable().meta({
    description:
      "The id of the compiled program, as `waymark journey build` prints it. Null if it doesn't compile.",
  }),
});

const Version = z.int().min(1);

export const DocumentChange = z
  .strictObject({
    path: DocumentPath,
    kind: DocumentKind.optional().meta({ description: "Default: as the text says." }),
    text: text({ max: JOURNEY_LIMITS.descriptionBytesMax })
      .nullable()
      .optional()
      .meta({ description: "Kept byte for byte, in UTF-8. Null archives the document." }),
    description: z
      .strictObject({ scanRunId: Uuid })
      .optional()
      .meta({
        description:
          "Instead of a text: the description that is stored with this scan run, as it was sent. It needs `endpoints:read` for the " +
          "run's service, to which the document is bound. The document keeps this text when the service is scanned again.",
      }),
    baseVersion: Version.nullable().meta({
      description: "The version that the text was made from. Null: there must be no document with this path.",
    }),
    programId: text({ max: 100 })
      .optional()
      .meta({ description: "The program id that the client got from the same text." }),
  })
  .refine(
    ({ text: sent, description }) => (sent === undefined) !== (description === undefined),
    "must have either text or description",
  )
  .meta({ id: "DocumentChange" });
export type DocumentChange = z.infer<typeof DocumentChange>;

export const JourneyChangeset = z
  .strictObject({
    message: text({ max: JOURNEY_LIMITS.messageMax }).optional(),
    dryRun: z.boolean().optional().meta({ description: "Says what would happen, and stores nothing." }),
    managedBy: ManagedBy.optional().meta({
      description: "Makes the repository the owner of these documents: other changes of them are refused.",
    }),
    unlock: z.boolean().optional().meta({
      description: "Changes documents that a repository owns. The repository stays the owner.",
    }),
    source: DocumentSource.optional(),
    changes: z
      .array(DocumentChange)
      .min(1, "must have at least 1 item")
      .max(JOURNEY_LIMITS.changesetFilesMax, `must have at most ${JOURNEY_LIMITS.changesetFilesMax} items`)
      .refine(
        (changes) => new Set(changes.map(({ path }) => path)).size === changes.length,
        "must not have a path twice",
      ),
  })
  .meta({ id: "JourneyChangeset" });
export type JourneyChangeset = z.infer<typeof JourneyChangeset>;

export const ChangedDocument = Verdict.extend({
  id: Uuid,
  path: z.string(),
  kind: DocumentKind,
  version: Version,
  unchanged: z
    .boolean()
    .meta({ description: "The text is that of the newest version: no version was made." }),
  archived: z.boolean(),
  programMatches: z.boolean().nullable().meta({
    description: "Whether the client's program id is the server's. Null: one of the two has none.",
  }),
}).meta({ id: "ChangedDocument" });
export type ChangedDocument = z.infer<typeof ChangedDocument>;

const Outcome = z.object({ errorCount: z.int(), warningCount: z.int(), programId: z.string().nullable() });

/** A document that was not changed, and whose outcome changes with the documents that it refers to. */
export const AffectedDocument = z
  .object({ id: Uuid, path: z.string(), title: z.string().nullable(), before: Outcome, after: Outcome })
  .meta({ id: "AffectedDocument" });
export type AffectedDocument = z.infer<typeof AffectedDocument>;

export const JourneyChangesetResult = z
  .object({
    changesetId: Uuid.nullable().meta({ description: "Null for a dry run." }),
    documents: z.array(ChangedDocument),
    affected: z.array(AffectedDocument).meta({
      description:
        "Documents that refer to changed ones, with what they were and become. Up to 50 are checked.",
    }),
    uncheckedCount: z.int().meta({ description: "Documents beyond these 50." }),
  })
  .meta({ id: "JourneyChangesetResult" });
export type JourneyChangesetResult = z.infer<typeof JourneyChangesetResult>;

export const LastRun = z.object({
  id: Uuid,
  status: JourneyRunStatus,
  environmentName: z.string(),
  createdAt: IsoDateTime,
});

/** A document as lists show it. */
export const JourneyDocument = z
  .object({
    id: Uuid,
    path: z.string(),
    kind: DocumentKind,
    journeyKey: z.string().meta({ description: "The first version's `$self`, or the id. It never changes." }),
    title: z.string().nullable(),
    isTemplate: z.boolean(),
    tags: z.array(z.string()),
    infoVersion: z.string().nullable().meta({ description: "`info.version` of the newest version." }),
    headVersion: Version,
    headHash: z.string().meta({ description: "SHA-256 of the newest version's bytes, in hexadecimal." }),
    errorCount: z.int(),
    warningCount: z.int(),
    base: z
      .object({ id: Uuid.nullable(), path: z.string() })
      .nullable()
      .meta({ description: "Of an overlay: what it extends. The id is null if there is no such document." }),
    drift: z
      .object({ extendsVersion: z.string(), baseVersion: z.string(), moved: z.boolean() })
      .nullable()
      .meta({ description: "Of an overlay: whether its base is outside the range that it was written for." }),
    managedBy: z.object({ repository: z.string(), path: z.string() }).nullable(),
    createdAt: IsoDateTime,
    updatedAt: IsoDateTime,
    archivedAt: IsoDateTime.nullable(),
    lastRun: LastRun.nullable().meta({ description: "The newest run, in any environment." }),
    lastRuns: z
      .array(LastRun)
      .meta({ description: "Of the last 20 runs, the newest in each environment, newest first." }),
    recentStatuses: z.array(JourneyRunStatus).meta({ description: "Of the last 20 runs, newest first." }),
    criteria: z.object({ proven: z.int(), total: z.int() }).nullable().meta({
      description:
        "How many acceptance criteria the newest run that has ended had, and proved. Null: none has ended, or it had none.",
    }),
  })
  .meta({ id: "JourneyDocument" });
export type JourneyDocument = z.infer<typeof JourneyDocument>;

export const JourneyDocumentPage = z
  .object({ journeys: z.array(JourneyDocument), nextCursor: z.string().optional() })
  .meta({ id: "JourneyDocumentPage" });

const LinkRole = z.enum(["source", "extends", "journey"]);

export const JourneyBinding = z
  .object({
    serviceId: Uuid,
    serviceName: z.string(),
    pathPrefix: z.string(),
    how: z.enum(["spec-hash", "name", "manual", "description"]),
    newerScanRunId: Uuid.nullable().meta({
      description:
        "Of a document that was made from the description of a scan run: the service's current run, if its description is another one " +
        "than the newest version.",
    }),
  })
  .meta({
    id: "JourneyBinding",
    description: "Of a description: the service whose scans have its operations.",
  });

export const BindJourneyRequest = z
  .strictObject({
    serviceId: Uuid,
    pathPrefix: label({ max: 200 })
      .regex(/^(\/[^/?#]+)*$/, "must be empty or begin with a slash, such as /v1, and not end with one")
      .default("")
      .meta({
        description:
          "What the description's paths begin with in the service's scans: the path of its server.",
      }),
  })
  .meta({ id: "BindJourneyRequest" });

/** A document, its references, and the documents that refer to it. */
export const JourneyDocumentDetail = JourneyDocument.extend({
  links: z.array(
    z.object({
      role: LinkRole,
      name: z.string(),
      target: z.string().meta({ description: "As it is written." }),
      path: z.string().nullable().meta({ description: "The document's path. Null for a URL." }),
      documentId: Uuid.nullable().meta({ description: "Null if there is no such document." }),
    }),
  ),
  usedBy: z.array(z.object({ id: Uuid, path: z.string(), role: LinkRole })).max(200),
  binding: JourneyBinding.nullable(),
}).meta({ id: "JourneyDocumentDetail" });
export type JourneyDocumentDetail = z.infer<typeof JourneyDocumentDetail>;

export const DocumentVersion = z
  .object({
    version: Version,
    hash: z.string().meta({ description: "SHA-256 of the bytes, in hexadecimal." }),
    size: z.int(),
    parentVersion: Version.nullable(),
    changesetId: Uuid,
    message: z.string().nullable(),
    origin: z.enum(["console", "cli", "api"]),
    source: DocumentSource.nullable(),
    errorCount: z.int(),
    warningCount: z.int(),
    createdByKeyId: Uuid,
    createdAt: IsoDateTime,
  })
  .meta({ id: "DocumentVersion" });
export type DocumentVersion = z.infer<typeof DocumentVersion>;

export const DocumentVersionPage = z
  .object({ versions: z.array(DocumentVersion), nextCursor: z.string().optional() })
  .meta({ id: "DocumentVersionPage" });

export const DocumentText = DocumentVersion.extend({ text: z.string() }).meta({ id: "DocumentText" });

export const RestoreDocumentRequest = z
  .strictObject({
    version: Version.meta({ description: "The version whose text becomes the newest." }),
    baseVersion: Version.meta({ description: "The newest version that the caller knows." }),
    message: text({ max: JOURNEY_LIMITS.messageMax }).optional(),
  })
  .meta({ id: "RestoreDocumentRequest" });

const Place = z.object({ file: z.string(), line: z.int(), column: z.int() });

/** A journey with its overlays applied. */
export const JourneyComposition = Verdict.extend({
  text: z.string().nullable().meta({ description: "YAML. Null if the documents can't be put together." }),
  fields: z
    .array(
      z.object({
        pointer: z.string(),
        from: z.string().meta({ description: "The id of the overlay that wrote the value last." }),
        change: z.enum(["inherited", "changed", "added"]),
        source: Place,
      }),
    )
    .meta({ description: "Fields that an overlay wrote. Every other field is inherited from the base." }),
  removed: z.array(z.object({ pointer: z.string(), by: z.string(), source: Place })),
  drift: z.array(
    z.object({
      overlay: z.string(),
      extendsVersion: z.string().nullable(),
      baseVersion: z.string().nullable(),
      moved: z.boolean(),
    }),
  ),
}).meta({ id: "JourneyComposition" });

/** Texts that are checked in the place of stored ones. Null stands for an absent body. */
export const CheckJourneyRequest = z
  .strictObject({
    texts: z
      .array(
        z.strictObject({
          path: DocumentPath,
          text: text({ max: JOURNEY_LIMITS.descriptionBytesMax }).nullable(),
        }),
      )
      .max(JOURNEY_LIMITS.changesetFilesMax)
      .optional()
      .meta({
        description: "Texts that are not stored yet, in the place of stored ones. Null: as if archived.",
      }),
    environmentId: Uuid.optional().meta({
      description: "Compiles for this environment, which needs environments:read. Default: for none.",
    }),
  })
  .meta({ id: "CheckJourneyRequest" })
  .nullish();
