import { z } from "zod";
import { text, Uuid } from "../lib/schema.ts";
import { wholeNumber } from "../lib/query-fields.ts";
import { NoContent, operation } from "../operations/operation.ts";
import { PageQuery } from "../operations/page-query.ts";
import { VERSION_MAX } from "../journeys/limits.ts";
import { ENVIRONMENT_LIMITS } from "./limits.ts";
import { JourneyReleasePreview } from "./releases/schema.ts";
import {
  Environment,
  EnvironmentDetails,
  EnvironmentPage,
  EnvironmentRequest,
  JourneyRelease,
  ReleaseJourneyRequest,
} from "./schema.ts";
import { EnvironmentSecretList, SecretName, SetSecretRequest } from "./secrets/schema.ts";
import * as addresses from "./addresses.ts";

const EnvironmentParams = z.object({ environmentId: Uuid });

const SecretParams = EnvironmentParams.extend({ name: SecretName });

const ReleaseParams = EnvironmentParams.extend({ journeyId: Uuid });

const REVISION = 'is required: the environment\'s revision in quotes, such as "3"';

const RevisionHeader = z.object({
  "if-match": z
    .string(REVISION)
    .regex(/^"[0-9]{1,9}"$/, 'must be the environment\'s revision in quotes, such as "3"')
    .meta({ description: "The revision that the change was made from, in quotes." }),
});

const tag = "environments";

const bodyBytesMax = ENVIRONMENT_LIMITS.bodyBytesMax;

export const listEnvironments = operation({
  id: "listEnvironments",
  ...addresses.listEnvironments,
  summary: "List environments",
  description: "Newest first. A key limited to an environment can read it by its name or id.",
  tag,
  access: { needs: ["environments:read"], resourceType: "environment" },
  query: PageQuery.extend({
    name: text({ max: 200 }).optional().meta({ description: "Only the environment with this name." }),
  }),
  responses: { 200: EnvironmentPage },
});

export const createEnvironment = operation({
  id: "createEnvironment",
  ...addresses.createEnvironment,
  summary: "Create an environment",
  tag,
  access: { needs: ["environments:write"], resourceType: "environment" },
  body: EnvironmentRequest,
  bodyBytesMax,
  responses: { 201: Environment },
  errors: [409],
});

export const getEnvironment = operation({
  id: "getEnvironment",
  ...addresses.getEnvironment,
  summary: "Read an environment",
  description: "With the versions of journeys that were released for it. ETag is its revision, for If-Match.",
  tag,
  access: { needs: ["environments:read"], within: ["environment"] },
  params: EnvironmentParams,
  responses: { 200: EnvironmentDetails },
});

export const replaceEnvironment = operation({
  id: "replaceEnvironment",
  ...addresses.replaceEnvironment,
  summary: "Replace an environment's settings",
  description:
    "Settings that are absent get their defaults. Secrets and releases stay, and so do the hosts of secrets.",
  tag,
  access: { needs: ["environments:write"], within: ["environment"] },
  params: EnvironmentParams,
  headers: RevisionHeader,
  body: EnvironmentRequest,
  bodyBytesMax,
  responses: { 200: Environment },
  errors: [409, 412],
});

export const deleteEnvironment = operation({
  id: "deleteEnvironment",
  ...addresses.deleteEnvironment,
  summary: "Delete an environment",
  description: "With its secrets and releases.",
  tag,
  access: { needs: ["environments:write"], within: ["environment"] },
  params: EnvironmentParams,
  responses: { 204: NoContent },
  errors: [409],
});

export const listEnvironmentSecrets = operation({
  id: "listEnvironmentSecrets",
  ...addresses.listEnvironmentSecrets,
  summary: "List an environment's secrets",
  description: "Names, hosts, versions and last use. No response ever contains a value.",
  tag,
  access: { needs: ["environments:read"], within: ["environment"] },
  params: EnvironmentParams,
  responses: { 200: EnvironmentSecretList },
});

export const setEnvironmentSecret = operation({
  id: "setEnvironmentSecret",
  ...addresses.setEnvironmentSecret,
  summary: "Set a secret",
  description: "Creates it or replaces its value. The value is encrypted, and can't be read again.",
  tag,
  access: { needs: ["secrets:write"], within: ["environment"] },
  params: SecretParams,
  body: SetSecretRequest,
  // JSON may write each byte of a value as six characters.
  bodyBytesMax: 6 * ENVIRONMENT_LIMITS.secretBytesMax + 16 * 1024,
  responses: { 204: NoContent },
  errors: [409],
});

export const deleteEnvironmentSecret = operation({
  id: "deleteEnvironmentSecret",
  ...addresses.deleteEnvironmentSecret,
  summary: "Delete a secret",
  tag,
  access: { needs: ["secrets:write"], within: ["environment"] },
  params: SecretParams,
  responses: { 204: NoContent },
  errors: [409],
});

/** A release is of an environment and a journey: a scope that is limited to one of them grants nothing for the other. */
const releaseNeeds = (permission: "environments:read" | "environments:write") =>
  ({ needs: [permission, "journeys:read"] }) as const;

export const previewJourneyRelease = operation({
  id: "previewJourneyRelease",
  ...addresses.previewJourneyRelease,
  summary: "Compare a journey's release with what would be released",
  description:
    "Builds a version of the journey for the environment, and compares it with what the environment runs now, step by step. Releases nothing.",
  tag,
  access: releaseNeeds("environments:read"),
  params: ReleaseParams,
  query: z.strictObject({
    version: wholeNumber({ min: 1, max: VERSION_MAX })
      .optional()
      .meta({ description: "Of the journey. Default: the newest." }),
  }),
  responses: { 200: JourneyReleasePreview },
  errors: [503],
});

export const releaseJourney = operation({
  id: "releaseJourney",
  ...addresses.releaseJourney,
  summary: "Release a journey's version for an environment",
  description:
    "Builds the version and keeps the artifact: a protected environment runs it and no other. When a document or a server that it was built from changes, it does not run until it is released again.",
  tag,
  access: releaseNeeds("environments:write"),
  params: ReleaseParams,
  body: ReleaseJourneyRequest,
  responses: { 200: JourneyRelease },
  errors: [409, 422, 503],
});

export const deleteJourneyRelease = operation({
  id: "deleteJourneyRelease",
  ...addresses.deleteJourneyRelease,
  summary: "Take a journey's release back",
  description: "A protected environment no longer runs this journey.",
  tag,
  access: { needs: ["environments:write"], within: ["environment"] },
  params: ReleaseParams,
  responses: { 204: NoContent },
  errors: [409],
});
