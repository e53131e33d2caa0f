import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

// Postgres' default. The passwords here are long and random.
const ITERATIONS = 4_096;

/**
 * Computes what Postgres stores for a password, so that the password itself reaches neither the server's log nor
 * `pg_stat_activity`. ASCII only: other characters would need normalization (RFC 4013).
 *
 * @see https://www.rfc-editor.org/rfc/rfc5803 for the format
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  const serverKey = keyOf("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
