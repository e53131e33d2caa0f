import type { Environment } from "@waymark/journeys/compile/build.ts";
import type { Severity } from "@waymark/journeys/document/problem.ts";
import type { DocumentHead, DocumentLink } from "@waymark/journeys/load/links.ts";
import type { FieldProvenance, RemovedField } from "@waymark/journeys/overlay/provenance.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import type { OperationName } from "@waymark/openapi/canonical/operation-names.ts";
import type { DocumentKind } from "@waymark/shared/journeys/document-kind.ts";
import type { ComparedTexts } from "../../lib/stored-verdicts.ts";
import type { TextChunk } from "../../lib/text-chunks.ts";
import type { ResultFault } from "@waymark/journeys/claim/faults.ts";

/** A fault of a document. Texts can be stored: they have no NUL and no lone surrogate. */
export interface DocumentProblem {
  severity: Severity;
  code: string;
  message: string;
  pointer: string;
  file: string;
  line: number;
  column: number;
}

/** The combined result of the documents that were examined. */
export interface Verdict {
  /** The first ones. */
  problems: DocumentProblem[];
  errorCount: number;
  warningCount: number;
  /** The id of the program, for a journey that compiles and has one entry; null for every other document. */
  programId: string | null;
}

/**
 * The operations that a journey calls, and the criteria that its runs can prove. Documents are named by their paths.
 */
export interface JourneyContents {
  operations: {
    source: string;
    sourcePath: string;
    method: string;
    path: string;
    pathKey: string;
    operationId: string | null;
  }[];
  criteria: { ownerPath: string; id: string; severity: string; text: string; provenBy: string[] }[];
}

export interface Examination extends Verdict {
  kind: DocumentKind;
  head: DocumentHead;
  links: DocumentLink[];
  /** Null for a description, and for a journey that does not compile or has several entries. */
  contents: JourneyContents | null;
}

/** A journey with its overlays applied. */
export interface Composition extends Verdict {
  /** YAML. Null where the documents can't be put together. */
  text: string | null;
  /** The fields that an overlay wrote, by their pointer into the text. Every other field is the base's. */
  fields: {
    pointer: string;
    from: string;
    change: FieldProvenance["change"];
    source: RemovedField["source"];
  }[];
  removed: { pointer: string; by: string; source: RemovedField["source"] }[];
  drift: { overlay: string; extendsVersion: string | null; baseVersion: string | null; moved: boolean }[];
}

/** A journey's artifact, where it compiles. */
export interface Compilation extends Verdict {
  /** The text of the artifact's file. */
  artifact: string | null;
}

/** A fault of the description behind a scan. The path is a JSON Pointer, empty for the text as a whole. */
export interface DescriptionFault {
  path: string;
  message: string;
}

/** The description behind a scan, ready to be stored, or its faults. Hashes are SHA-256 in hexadecimal. */
export type DescribedText =
  | {
      ok: true;
      hash: string;
      size: number;
      format: "json" | "yaml";
      /** The ids of the chunks of the text, in order. */
      chunks: string[];
      /** JSON without white space and with sorted keys. */
      canonical: { hash: string; size: number; chunks: string[] };
      operations: OperationName[];
      /** Every chunk once. */
      content: TextChunk[];
    }
  | { ok: false; faults: DescriptionFault[] };

/** The work that the process does on a document, and what comes of it. */
export interface Work {
  examine: { document: { path: string; kind: DocumentKind | null }; result: Examination };
  compose: { document: { path: string; environment?: Environment | undefined }; result: Composition };
  compile: {
    document: { path: string; environment?: Environment | undefined; workflow?: string | undefined };
    result: Compilation;
  };
  describe: {
    document: { path: string; bytesMax: number; operationsMax: number };
    result: DescribedText;
  };
  compare: {
    /** The paths of both texts. Rules with dates judge as of `today`, as `YYYY-MM-DD`. */
    document: { base: string; head: string; bytesMax: number; today: string };
    result: ComparedTexts;
  };
  verify: {
    /** The text of an artifact's file, a result that claims to be of it, and values that it must not contain. */
    document: { artifact: string; result: JourneyResult; secrets: readonly string[] };
    /** The result as it may be stored, or what contradicts the artifact. */
    result:
      | { ok: true; result: JourneyResult; hasSecret: boolean }
      | { ok: false; faults: readonly ResultFault[] };
  };
}
export type WorkName = keyof Work;

/** A message to the process: the documents of one task, which share what is read, or a file that it asked for. */
export type Request =
  | { kind: "task"; name: WorkName; documents: readonly Work[WorkName]["document"][] }
  /** A part of a large file; the last one is its `file`. */
  | { kind: "part"; id: number; bytes: Uint8Array }
  | { kind: "file"; id: number; bytes: Uint8Array | undefined };

/** A message from the process. */
export type Reply =
  | { kind: "read"; id: number; path: string }
  /** A document is done: the next one begins. */
  | { kind: "result"; value: unknown }
  | { kind: "fault"; message: string };
