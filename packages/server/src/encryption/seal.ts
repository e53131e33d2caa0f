import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted value: the ciphertext with its authentication tag at the end, and the nonce of this one encryption. */
export interface Sealed {
  ciphertext: Buffer;
  nonce: Buffer;
}

/** The owner of a value, such as its organization and its name. It is authenticated and not stored with the value. */
export type SealedFor = readonly (string | number)[];

/** The ciphertext was changed, or is another row's, or was made with another key. The message contains no value. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
}

/** Encrypts with AES-256-GCM and a random nonce. Opening the value needs an equal `sealedFor`. */
export function seal(key: KeyObject, plaintext: Uint8Array, sealedFor: SealedFor): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(identityOf(sealedFor));
  return {
    ciphertext: Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]),
    nonce,
  };
}

/** @throws UnsealError */
export function unseal(key: KeyObject, { ciphertext, nonce }: Sealed, sealedFor: SealedFor): Buffer {
  const end = Math.max(0, ciphertext.length - TAG_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(identityOf(sealedFor));
    decipher.setAuthTag(ciphertext.subarray(end));
    return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()]);
  } catch (cause) {
    throw new UnsealError("The value can't be decrypted: it was changed, or belongs to another row.", {
      cause,
    });
  }
}

/** JSON, so that no two lists have the same bytes. */
function identityOf(sealedFor: SealedFor): Buffer {
  return Buffer.from(JSON.stringify(sealedFor));
}
