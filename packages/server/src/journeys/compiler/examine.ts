import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { sortProblems } from "@waymark/journeys/document/problem.ts";
import { FileError, type Files, openFiles, type TextFile } from "@waymark/journeys/load/files.ts";
import {
  baseLink,
  type DocumentHead,
  type DocumentLink,
  headOf,
  linksOf,
  referenceLinks,
} from "@waymark/journeys/load/links.ts";
import { lintLoaded } from "@waymark/journeys/load/lint-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { type DocumentKind, documentKind } from "@waymark/shared/journeys/document-kind.ts";
import { contentsOf } from "./contents.ts";
import type { Examination, JourneyContents, Work } from "./messages.ts";
import type { Session } from "./session.ts";
import { storable } from "../../lib/storable.ts";
import { documentFault, verdictOf } from "./verdict.ts";

const LINKS_MAX = 200;
const TAGS_MAX = 20;
const TAG_MAX = 80;
const TEXT_MAX = 200;
const TARGET_MAX = 1_000;

/** Examines a document: determines its kind, its references, its problems and everything that it needs. */
export async function examine(session: Session, document: Work["examine"]["document"]): Promise<Examination> {
  const { path } = document;
  const files = openFiles(session.access);
  let file: TextFile;
  try {
    file = await files.read(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return unreadable(path, document.kind ?? documentKind(path, ""), error);
  }
  const kind = document.kind ?? documentKind(path, file.text);
  if (kind === "openapi") return examineDescription(files, file);
  const isOverlay = kind === "overlay";
  const own = isOverlay ? parseOverlay(file.text, { file: path }) : parseDocument(file.text, { file: path });
  const links = isOverlay ? baseLink(own.raw, path) : await linksOf(files, { value: own.raw, path });
  const linted = await lint(session, { path, own: own.problems });
  return examination({ kind, head: headOf(own.raw), links, ...linted });
}

const NOTHING = { programId: null, contents: null };

function unreadable(path: string, kind: DocumentKind, error: Error): Examination {
  const problems = [documentFault(path, "unreadable", error.message)];
  return examination({ kind, head: headOf(undefined), links: [], problems, ...NOTHING });
}

async function examineDescription(files: Files, file: TextFile): Promise<Examination> {
  const { path } = file;
  try {
    const { value } = await files.parse(file.text, path);
    const links = referenceLinks(value, path);
    return examination({ kind: "openapi", head: headOf(value), links, problems: [], ...NOTHING });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return unreadable(path, "openapi", error);
  }
}

/** Lints with everything that the document needs. Where that can't be read, the document's own faults are told with it. */
async function lint(
  { access, hash }: Session,
  { path, own }: { path: string; own: readonly Problem[] },
): Promise<{ problems: Problem[]; programId: string | null; contents: JourneyContents | null }> {
  try {
    const journey = await loadJourney(access, { file: path, overlays: [], given: new Map() });
    const { problems, artifact } = await lintLoaded(journey, { hash });
    if (artifact === undefined) return { problems, ...NOTHING };
    return { problems, programId: artifact.id, contents: await contentsOf(artifact, journey) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const fault = documentFault(path, "missing-file", [error.message, ...error.details].join(" "));
    return { problems: sortProblems([...own, fault]), ...NOTHING };
  }
}

function examination(found: {
  kind: DocumentKind;
  head: DocumentHead;
  links: readonly DocumentLink[];
  problems: readonly Problem[];
  programId: string | null;
  contents: JourneyContents | null;
}): Examination {
  const { kind, head, links, problems, programId, contents } = found;
  const short = (text: string | undefined) => (text === undefined ? undefined : storable(text, TEXT_MAX));
  return {
    ...verdictOf(problems, programId),
    kind,
    contents,
    head: {
      title: short(head.title),
      version: short(head.version),
      self: head.self === undefined ? undefined : storable(head.self, TARGET_MAX),
      extendsVersion: short(head.extendsVersion),
      isTemplate: head.isTemplate,
      tags: head.tags.slice(0, TAGS_MAX).map((tag) => storable(tag, TAG_MAX)),
    },
    links: links.slice(0, LINKS_MAX).map(({ role, name, target, path }) => ({
      role,
      name: storable(name, TARGET_MAX),
      target: storable(target, TARGET_MAX),
      path: path === undefined ? undefined : storable(path, TARGET_MAX),
    })),
  };
}
