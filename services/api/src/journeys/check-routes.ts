import type { Environment as CompilerEnvironment } from "@waymark/journeys/compile/build.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { readBlob } from "@waymark/server/db/blobs.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { findEnvironment } from "@waymark/server/environments/queries.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { listReadDocuments } from "@waymark/server/journey-runs/builds/queries.ts";
import { DocumentLimit, type ReadDocument } from "@waymark/server/journeys/compiler/compiler-child.ts";
import type { Composition } from "@waymark/server/journeys/compiler/messages.ts";
import { unexaminedVerdict } from "@waymark/server/journeys/compiler/unexamined.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { findVersion } from "@waymark/server/journeys/versions.queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/journeys/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { EVERY_JOURNEY } from "../lib/visible-journeys.ts";
import { findAuthorizedDocument } from "./authorized-document.ts";
import { documentReader } from "./examine-changes.ts";
import type { JourneyRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

/**
 * Registers the routes that compose and compile a journey with its overlays and descriptions. Both are done outside of
 * this process.
 */
export function registerJourneyCheckRoutes(
  serve: Serve,
  { db, compiler, bodyBytesMax }: JourneyRouteDependencies,
): void {
  serve(operations.getJourneyComposition, async (request) => {
    const document = await findComposable(request, request.params.journeyId);
    const read = await readStored(request, document, request.query.version ?? document.headVersion);
    return compose(request, { path: document.path, read });
  });

  serve(
    operations.checkJourney,
    async (request) => {
      const document = await findComposable(request, request.params.journeyId);
      const texts = request.body?.texts ?? [];
      if (texts.length > 0) authorize(actorOf(request), "journeys:read", EVERY_JOURNEY);
      const sent = texts.map(
        ({ path, text }) => [path, text === null ? undefined : Buffer.from(text)] as const,
      );
      const environment = await findCompiledFor(request, request.body?.environmentId);
      const { organizationId } = actorOf(request);
      const read =
        texts.length > 0
          ? documentReader(db, organizationId, new Map(sent))
          : await readStored(request, document, document.headVersion);
      return compose(request, { path: document.path, environment, read });
    },
    { config: { bodyBytesMax } },
  );

  async function findComposable(request: FastifyRequest, documentId: string): Promise<JourneyDocument> {
    const document = await withOrganization(db, actorOf(request).organizationId, (tx) =>
      findAuthorizedDocument(tx, request, { documentId, permission: "journeys:read" }),
    );
    if (document.kind !== "openapi" && document.archivedAt === null) return document;
    throw new AppError("not_found", "Only journeys and overlays that are not archived can be composed.");
  }

  /** Reads a version and what it refers to by its stored links, as a build does: a reference is checked when it is stored. */
  async function readStored(
    request: FastifyRequest,
    { id: documentId }: JourneyDocument,
    version: number,
  ): Promise<ReadDocument> {
    const { organizationId } = actorOf(request);
    const documents = await withOrganization(db, organizationId, async (tx) => {
      if ((await findVersion(tx, { organizationId, documentId, version })) === null)
        throw new AppError("not_found", `The document has no version ${version}.`);
      return listReadDocuments(tx, { organizationId, documentId, version });
    });
    const hashes = new Map(documents.map(({ path, hash }) => [path, Buffer.from(hash, "hex")]));
    return async (path) => {
      const hash = hashes.get(path);
      if (hash === undefined) return undefined;
      return (
        (await withOrganization(db, organizationId, (tx) => readBlob(tx, { organizationId, hash }))) ??
        undefined
      );
    };
  }

  async function findCompiledFor(
    request: FastifyRequest,
    environmentId: string | undefined,
  ): Promise<Environment | undefined> {
    if (environmentId === undefined) return undefined;
    const actor = actorOf(request);
    const { organizationId } = actor;
    const found = await withOrganization(db, organizationId, (tx) =>
      findEnvironment(tx, { organizationId, environmentId }),
    );
    authorize(actor, "environments:read", found === null ? {} : { environmentId: found.id });
    if (found === null) throw new AppError("not_found", "There is no environment with this id.");
    return found;
  }

  async function compose(
    request: FastifyRequest,
    what: { path: string; environment?: Environment | undefined; read: ReadDocument },
  ): Promise<Composition> {
    const { path, environment, read } = what;
    const { organizationId } = actorOf(request);
    const documents = [
      { path, environment: environment === undefined ? undefined : forCompiler(environment) },
    ];
    const [composition] = await compiler.run("compose", { organizationId, documents, read });
    if (composition !== undefined && !(composition instanceof DocumentLimit)) return composition;
    const verdict = unexaminedVerdict(path, composition?.message ?? "it was not reached");
    return { ...verdict, text: null, fields: [], removed: [], drift: [] };
  }
}

/** Returns an environment as `waymark.yaml` has it: a base URL, and values of the variables of a server. */
function forCompiler({ name, servers, variables }: Environment): CompilerEnvironment {
  const sources = [...new Set([...Object.keys(servers), ...Object.keys(variables)])];
  return {
    name,
    servers: Object.fromEntries(
      sources.map((source) => [source, { url: servers[source], variables: variables[source] }]),
    ),
  };
}
