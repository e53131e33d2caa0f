import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

// Postgres' own number. The passwords that matter here are long and random.
const ITERATIONS = 4_096;

/**
 * What Postgres stores of a password, made here, so that the password itself reaches neither the server's log nor
 * `pg_stat_activity`. ASCII only: other characters would have to be normalized first (RFC 4013).
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
