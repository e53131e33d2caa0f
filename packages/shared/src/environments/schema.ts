import { z } from "zod";
import { boundedArray, IsoDateTime, label, OpenObject, text, Uuid } from "../lib/schema.ts";
import { VERSION_MAX } from "../journeys/limits.ts";
import { HostPattern } from "./hosts/schema.ts";
import { ENVIRONMENT_LIMITS } from "./limits.ts";

const { entriesMax, hostsMax, nameMax, urlMax, variableMax } = ENVIRONMENT_LIMITS;

/** The name of a journey's source, as Arazzo limits it. */
const SOURCE_NAME = /^[A-Za-z0-9_-]{1,100}$/;

/** An object with values by name. `__proto__` is refused, because parsers drop it silently. */
function byName<T extends z.ZodType>(value: T, name: RegExp, message: string) {
  return z.preprocess(
    (given, ctx) => {
      if (typeof given !== "object" || given === null) return given;
      const names = Object.keys(given);
      const wrong = names.find((one) => one === "__proto__" || !name.test(one));
      if (wrong === undefined && names.length <= entriesMax) return given;
      const problem = wrong === undefined ? `must have at most ${entriesMax} fields` : message;
      ctx.addIssue({ code: "custom", message: problem });
      return z.NEVER;
    },
    z.record(z.string(), value),
  );
}

const bySource = <T extends z.ZodType>(value: T) =>
  byName(value, SOURCE_NAME, "the name of a source must be 1 to 100 letters, digits, '-' and '_'");

const ServerUrl = text({ max: urlMax })
  .check((ctx) => {
    const problem = serverProblem(ctx.value);
    if (problem !== undefined) ctx.issues.push({ code: "custom", message: problem, input: ctx.value });
  })
  .meta({ maxLength: urlMax, format: "uri", examples: ["https://staging.example.com/v1"] });

function serverProblem(value: string): string | undefined {
  if (!URL.canParse(value) || !/^https?:\/\//i.test(value)) return "must be an http:// or https:// address";
  if (/[{}]/.test(value)) return "must not have variables in braces: write the complete address";
  const { username, password, search, hash } = new URL(value);
  if (username !== "" || password !== "") return "must not contain a user or a password: use a secret";
  return search === "" && hash === "" ? undefined : "must not have a query or a fragment";
}

const Settings = {
  servers: bySource(ServerUrl).meta({
    description:
      "The base URL of each source of a journey. Without one, the source's own description decides.",
  }),
  variables: bySource(
    byName(text({ max: variableMax }), /^.{1,200}$/s, "a variable's name must have 1 to 200 characters"),
  ).meta({
    description: "Values of server variables, by source and name.",
  }),
  inputs: OpenObject.meta({
    description: "Values of a journey's inputs, by name. Secrets don't belong here.",
  }),
};

const Terms = {
  name: label({ min: 1, max: nameMax }),
  protected: z.boolean().meta({
    description: "Journeys run only in the versions that were released for this environment.",
  }),
  storesBodies: z.boolean().meta({
    description: "Whether results have bodies of requests and responses, which may be personal data.",
  }),
};

const AllowedHosts = boundedArray(HostPattern, hostsMax);

/** Creates an environment, or replaces all of its settings. */
export const EnvironmentRequest = z
  .strictObject({
    name: Terms.name,
    servers: Settings.servers.default({}),
    variables: Settings.variables.default({}),
    inputs: Settings.inputs.default({}),
    allowedHosts: AllowedHosts.optional().meta({
      description: "What a journey may connect to. Default: the hosts of `servers`.",
    }),
    protected: Terms.protected.default(false),
    storesBodies: Terms.storesBodies.default(true),
  })
  .meta({ id: "EnvironmentRequest" });
export type EnvironmentRequest = z.infer<typeof EnvironmentRequest>;

export const Environment = z
  .object({
    id: Uuid,
    name: z.string(),
    servers: z.record(z.string(), z.string()),
    variables: z.record(z.string(), z.record(z.string(), z.string())),
    inputs: z.record(z.string(), z.unknown()),
    allowedHosts: z.array(z.string()),
    protected: Terms.protected,
    storesBodies: Terms.storesBodies,
    revision: z.int().min(1).meta({
      description: "Rises with each change. PUT needs it as If-Match, in quotes.",
    }),
    createdAt: IsoDateTime,
    updatedAt: IsoDateTime,
  })
  .meta({ id: "Environment" });
export type Environment = z.infer<typeof Environment>;

export const EnvironmentPage = z
  .object({ environments: z.array(Environment), nextCursor: z.string().optional() })
  .meta({ id: "EnvironmentPage" });

/** The artifact of a journey that a protected environment runs. */
export const JourneyRelease = z
  .object({
    journeyId: Uuid,
    version: z.int().min(1),
    artifact: z.string().meta({ description: "SHA-256 of the artifact that runs, in hexadecimal." }),
    programId: z.string(),
    changedSince: z.array(z.string()).meta({
      description:
        "The paths of documents, and the servers, that the artifact was built from and that have changed since. At most 20. Unless it is empty, the journey does not run here until it is released again.",
    }),
    releasedByKeyId: Uuid,
    releasedAt: IsoDateTime,
  })
  .meta({ id: "JourneyRelease" });
export type JourneyRelease = z.infer<typeof JourneyRelease>;

export const EnvironmentDetails = Environment.extend({
  releases: z.array(JourneyRelease),
}).meta({ id: "EnvironmentDetails" });

export const ReleaseJourneyRequest = z
  .strictObject({
    version: z.int().min(1).max(VERSION_MAX),
    expectArtifact: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal")
      .optional()
      .meta({ description: "The `artifact` of a preview. If another one would be released, nothing is." }),
  })
  .meta({ id: "ReleaseJourneyRequest" });
