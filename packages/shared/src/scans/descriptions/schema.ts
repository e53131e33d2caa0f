import { z } from "zod";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";

const Sha256 = z.string().meta({ description: "SHA-256 in hexadecimal." });

/** The description that a run was scanned from, without its text. */
export const ScanDescription = z
  .object({
    scanRunId: Uuid,
    format: z.enum(["json", "yaml"]),
    hash: Sha256,
    bytes: z.int().meta({ description: "The size of the text." }),
    canonicalHash: Sha256.meta({ description: "SHA-256 of the canonical JSON, in hexadecimal." }),
    canonicalBytes: z.int(),
    createdAt: IsoDateTime.meta({ description: "When it was stored for the run." }),
  })
  .meta({ id: "ScanDescription" });
export type ScanDescription = z.infer<typeof ScanDescription>;

export const DescriptionForm = z.enum(["original", "canonical"]);
export type DescriptionForm = z.infer<typeof DescriptionForm>;

/** The member of `Repr-Digest` (RFC 9530) that is read. Others are ignored, as the standard has it. */
const SHA256_DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/;

export const DescriptionHeaders = z.object({
  "repr-digest": z
    .string()
    .max(1_000, "must have at most 1000 characters")
    .regex(SHA256_DIGEST, "must have sha-256=:BASE64:, the hash of the text")
    .optional()
    .meta({
      description:
        "SHA-256 of the text before compression, as RFC 9530 has it: `sha-256=:BASE64:`. Needed if there is no body.",
    }),
});

/** Returns the SHA-256 of a valid `Repr-Digest` in base64. */
export function sha256OfDigest(digest: string): string {
  return SHA256_DIGEST.exec(digest)?.[1] ?? "";
}
