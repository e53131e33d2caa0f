import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import type { ReadDocument } from "../builds/artifact-facts.ts";

const Server = z.object({ url: z.string().nullable(), variables: z.record(z.string(), z.string()) });

/** Everything that an artifact is built from, but for the compiler. */
export const BuiltFrom = z.object({
  /** The name of the environment, which is a part of the program. */
  environment: z.string(),
  /** The environment's servers and variables for the sources that the program calls. */
  servers: z.record(z.string(), Server),
  documents: z.array(z.object({ path: z.string(), version: z.number(), hash: z.string() })),
});
export type BuiltFrom = z.infer<typeof BuiltFrom>;

/** A document that differs: its version at the release and now. Null: it was or is not read. */
interface ChangedDocument {
  path: string;
  released: number | null;
  now: number | null;
}

export interface ReleaseDrift {
  documents: ChangedDocument[];
  /** Names of sources. */
  servers: string[];
  isRenamed: boolean;
}

/** @param sources the names of the sources that the program calls: servers of others don't enter the artifact */
export function builtFromOf(
  documents: readonly ReadDocument[],
  environment: Environment,
  sources: readonly string[],
): BuiltFrom {
  return {
    environment: environment.name,
    servers: serversOf(environment, sources),
    documents: documents.map(({ path, version, hash }) => ({ path, version, hash })),
  };
}

/** Compares what a release was built from with what would be built now. */
export function driftSince(
  released: BuiltFrom,
  documents: readonly ReadDocument[],
  environment: Environment,
): ReleaseDrift {
  const before = new Map(released.documents.map((document) => [document.path, document]));
  const after = new Map(documents.map((document) => [document.path, document]));
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const servers = serversOf(environment, Object.keys(released.servers));
  return {
    documents: paths
      .filter((path) => before.get(path)?.hash !== after.get(path)?.hash)
      .map((path) => ({
        path,
        released: before.get(path)?.version ?? null,
        now: after.get(path)?.version ?? null,
      })),
    servers: Object.keys(released.servers).filter(
      (source) => !isDeepStrictEqual(released.servers[source], servers[source]),
    ),
    isRenamed: released.environment !== environment.name,
  };
}

/** Returns the names of what has changed, for messages. The list is empty if nothing has. */
export function namesOf({ documents, servers, isRenamed }: ReleaseDrift): string[] {
  return [
    ...documents.map(({ path }) => path),
    ...servers.map((source) => `the server of ${source}`),
    ...(isRenamed ? ["the name of the environment"] : []),
  ];
}

function serversOf(environment: Environment, sources: readonly string[]): BuiltFrom["servers"] {
  const own = <T>(values: Readonly<Record<string, T>>, name: string) =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  return Object.fromEntries(
    sources.map((source) => [
      source,
      {
        url: own(environment.servers, source) ?? null,
        variables: own(environment.variables, source) ?? {},
      },
    ]),
  );
}
