import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/** The content of `credentials.json` in the data folder, the only place where the raw key is kept. */
const Credentials = z.object({ apiUrl: z.string(), organizationId: z.string(), apiKey: z.string() });
export type Credentials = z.infer<typeof Credentials>;

/** Name and password that api and worker log in to the database with. */
const ServiceLogin = z.object({ user: z.string(), password: z.string() });
export type ServiceLogin = z.infer<typeof ServiceLogin>;

/** The keys that api and worker encrypt secrets of environments with. */
const JourneyKeys = z.object({ journeyKeys: z.string() });

/** @throws Error if the file exists and is invalid */
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

/** The key for secrets of environments, as JOURNEY_KEYS has it; made once. Its id is new, so that a lost one is missed by name. */
export function journeyKeys(folder: string): string {
  const file = path.join(folder, "journey-keys.json");
  const kept = readPrivately(
    file,
    JourneyKeys,
    "makes a new key (secrets of environments must then be set again)",
  );
  if (kept !== undefined) return kept.journeyKeys;
  const made = { journeyKeys: `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}` };
  writePrivately(file, made);
  return made.journeyKeys;
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

// Writes atomically, and never readable for others, not even temporarily.
function writePrivately(file: string, content: object): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}
