import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/** What `credentials.json` in the data folder holds: the one place where the raw key is kept. */
const Credentials = z.object({ apiUrl: z.string(), organizationId: z.string(), apiKey: z.string() });
export type Credentials = z.infer<typeof Credentials>;

/** Name and password that api and worker log in to the database with. */
const ServiceLogin = z.object({ user: z.string(), password: z.string() });
export type ServiceLogin = z.infer<typeof ServiceLogin>;

/** @throws Error when the file is there and is not what we wrote */
export function readCredentials(folder: string): Credentials | undefined {
  const next = "makes a new organization and key (the database keeps the old ones)";
  return readPrivately(credentialsFile(folder), Credentials, next);
}

export function writeCredentials(folder: string, credentials: Credentials): void {
  writePrivately(credentialsFile(folder), credentials);
}

export function credentialsFile(folder: string): string {
  return path.join(folder, "credentials.json");
}

/** Made once. The name is this data folder's own: on a shared server two of them must not change each other's. */
export function serviceLogin(folder: string): ServiceLogin {
  const file = path.join(folder, "service-login.json");
  const kept = readPrivately(file, ServiceLogin, "makes a new login for api and worker");
  if (kept !== undefined) return kept;
  const user = `waymark_service_${randomBytes(4).toString("hex")}`;
  const login = { user, password: randomBytes(24).toString("base64url") };
  writePrivately(file, login);
  return login;
}

function readPrivately<T>(file: string, shape: z.ZodType<T>, next: string): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return shape.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // Without the parser's message, which would quote the file.
    throw new Error(`${file} is damaged. Remove it, and the next start ${next}.`);
  }
}

// Whole or not at all, and never readable for others, not even for a moment.
function writePrivately(file: string, content: Credentials | ServiceLogin): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}
