import { createHash } from "node:crypto";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { ServerChoice } from "@waymark/journeys/openapi/servers.ts";
import { VERSION } from "@waymark/journeys/version.ts";
import { readBlob, toBlob } from "../../db/blobs.ts";
import { withOrganization } from "../../db/organization.ts";
import type { DatabasePool } from "../../db/pool.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { DocumentLimit } from "../../journeys/compiler/compiler-child.ts";
import type { Compiler } from "../../journeys/compiler/compiler.ts";
import type { Compilation } from "../../journeys/compiler/messages.ts";
import { factsOf, type ReadDocument } from "../builds/artifact-facts.ts";
import {
  type BuildProblem,
  findJourneyBuild,
  insertJourneyBuild,
  type JourneyBuild,
  listReadDocuments,
} from "../builds/queries.ts";

const PROBLEMS_MAX = 20;

export interface BuildTarget {
  organizationId: string;
  documentId: string;
  path: string;
  version: number;
  environment: Environment;
}

/**
 * The artifact of a journey for an environment. The same documents, environment and compiler are built once; the compiler works in
 * a process of its own.
 */
export async function buildJourney(
  { db, compiler }: { db: DatabasePool; compiler: Compiler },
  target: BuildTarget,
): Promise<JourneyBuild> {
  const { organizationId, documentId, version } = target;
  const documents = await withOrganization(db, organizationId, (tx) =>
    listReadDocuments(tx, { organizationId, documentId, version }),
  );
  return buildFrom({ db, compiler }, target, documents);
}

/** Like `buildJourney`, from documents that are read already. */
export async function buildFrom(
  { db, compiler }: { db: DatabasePool; compiler: Compiler },
  target: BuildTarget,
  documents: readonly ReadDocument[],
): Promise<JourneyBuild> {
  const { organizationId, documentId, version, environment } = target;
  const buildKey = keyOf(target, documents);
  const known = await withOrganization(db, organizationId, (tx) =>
    findJourneyBuild(tx, { organizationId, buildKey }),
  );
  if (known !== null) return known;
  const compilation = await compile({ db, compiler }, target, documents);
  // Another run may find the processes less busy: what was not decided is not kept.
  if (compilation instanceof DocumentLimit) {
    return { isOk: false, problems: [{ path: target.path, message: compilation.message }] };
  }
  const problems = compilation.artifact === null ? problemsOf(compilation) : [];
  const artifact = await madeOf(compilation, documents, documentId);
  await withOrganization(db, organizationId, (tx) =>
    insertJourneyBuild(tx, {
      organizationId,
      buildKey,
      documentId,
      version,
      environmentId: environment.id,
      environmentRevision: environment.revision,
      documents,
      compilerVersion: VERSION,
      problems,
      artifact,
    }),
  );
  if (artifact === null) return { isOk: false, problems };
  return {
    isOk: true,
    artifactHash: artifact.blob.hash,
    programId: artifact.programId,
    needs: artifact.facts.needs,
  };
}

function keyOf({ path, environment }: BuildTarget, documents: readonly ReadDocument[]): Buffer {
  const read = documents.map((document) => [document.path, document.hash]);
  const { id, name, servers, variables } = environment;
  const all = { compiler: VERSION, path, read, environment: { id, name, servers, variables } };
  return createHash("sha256").update(JSON.stringify(all)).digest();
}

async function compile(
  { db, compiler }: { db: DatabasePool; compiler: Compiler },
  { organizationId, path, environment }: BuildTarget,
  documents: readonly ReadDocument[],
): Promise<Compilation | DocumentLimit> {
  const hashes = new Map(documents.map((document) => [document.path, Buffer.from(document.hash, "hex")]));
  const read = async (file: string) => {
    const hash = hashes.get(file);
    if (hash === undefined) return undefined;
    return (
      (await withOrganization(db, organizationId, (tx) => readBlob(tx, { organizationId, hash }))) ??
      undefined
    );
  };
  const [compilation] = await compiler.run("compile", {
    organizationId,
    documents: [{ path, environment: { name: environment.name, servers: serversOf(environment) } }],
    read,
  });
  if (compilation === undefined) throw new Error("the compiler gave no answer");
  return compilation;
}

/** As `waymark.yaml` gives them: a base URL, and values of the variables of a server. */
function serversOf({ servers, variables }: Environment): Record<string, ServerChoice> {
  const sources = new Set([...Object.keys(servers), ...Object.keys(variables)]);
  return Object.fromEntries(
    [...sources].map((source) => [source, { url: servers[source], variables: variables[source] }]),
  );
}

async function madeOf(
  { artifact: text, programId }: Compilation,
  documents: readonly ReadDocument[],
  documentId: string,
) {
  if (text === null || programId === null) return null;
  const artifact: Artifact = JSON.parse(text);
  return {
    blob: await toBlob(Buffer.from(text)),
    programId,
    facts: factsOf(artifact, documents, documentId),
  };
}

function problemsOf({ problems }: Compilation): BuildProblem[] {
  return problems
    .filter(({ severity }) => severity === "error")
    .slice(0, PROBLEMS_MAX)
    .map(({ file, line, column, message }) => ({ path: `${file}:${line}:${column}`, message }));
}
