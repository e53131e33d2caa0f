import { z } from "zod";
import { boundedArray, IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { HostPattern } from "../hosts/schema.ts";
import { ENVIRONMENT_LIMITS } from "../limits.ts";
import { isCommonText } from "./limits.ts";

const { secretBytesMax, secretCharactersMin, secretHostsMax, secretNameMax } = ENVIRONMENT_LIMITS;

/** As a journey names it: `env:NAME`. */
export const SecretName = z
  .string()
  .max(secretNameMax)
  .regex(
    /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/,
    "must be letters, digits and '_', and not begin with a digit",
  )
  .meta({ id: "SecretName" });

/** A value is masked wherever it appears in a result: a short or common one would mask what is no secret. */
const SecretValue = text({ min: secretCharactersMin, max: secretBytesMax })
  .refine(
    (value) => value.length <= secretBytesMax / 3 || new TextEncoder().encode(value).length <= secretBytesMax,
    `must be at most ${secretBytesMax} bytes long in UTF-8`,
  )
  .refine(
    (value) => !isCommonText(value),
    "must not be a common word or a simple sequence: it would be masked in results where it is no secret",
  )
  .meta({ minLength: secretCharactersMin, maxLength: secretBytesMax });

const SecretSettings = z.strictObject({
  value: SecretValue,
  hosts: boundedArray(HostPattern, secretHostsMax)
    .refine(
      (hosts) => hosts.length > 0,
      "must have at least 1 item, or be absent for the environment's servers",
    )
    .optional()
    .meta({
      description:
        "The only hosts that the value is sent to. Default: the hosts of the environment's servers now.",
    }),
});

/** Unlike elsewhere, the names of unknown fields are not shown: in a body with a secret, even these may be one. */
export const SetSecretRequest = z
  .preprocess((given, ctx) => {
    if (typeof given !== "object" || given === null) return given;
    if (Object.keys(given).every((name) => name in SecretSettings.shape)) return given;
    ctx.addIssue({ code: "custom", message: "must have no other fields than value and hosts" });
    return z.NEVER;
  }, SecretSettings)
  .meta({ id: "SetSecretRequest" });
export type SetSecretRequest = z.infer<typeof SetSecretRequest>;

/** A secret without its value, which is never shown. */
export const EnvironmentSecret = z
  .object({
    name: z.string(),
    hosts: z.array(z.string()),
    version: z.int().min(1).meta({ description: "Rises each time the value is set." }),
    updatedByKeyId: Uuid,
    createdAt: IsoDateTime,
    updatedAt: IsoDateTime,
    lastUsedAt: IsoDateTime.nullable().meta({ description: "Recorded at most once a minute." }),
  })
  .meta({ id: "EnvironmentSecret" });
export type EnvironmentSecret = z.infer<typeof EnvironmentSecret>;

export const EnvironmentSecretList = z
  .object({ secrets: z.array(EnvironmentSecret) })
  .meta({ id: "EnvironmentSecretList" });
