import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** What `credentials.json` in the data directory holds: the one place where the raw key is kept. */
export interface Credentials {
  apiUrl: string;
  organizationId: string;
  apiKey: string;
}

/** @throws Error when the file is there and is not what we wrote */
export function readCredentials(folder: string): Credentials | undefined {
  const file = credentialsFile(folder);
  if (!existsSync(file)) return undefined;
  try {
    const content: Partial<Credentials> = JSON.parse(readFileSync(file, "utf8"));
    const { apiUrl, organizationId, apiKey } = content;
    if (typeof apiUrl === "string" && typeof organizationId === "string" && typeof apiKey === "string") {
      return { apiUrl, organizationId, apiKey };
    }
  } catch {
    // The parser's message would quote the file. The sentence below says all there is to say.
  }
  throw new Error(
    `${file} is damaged. Remove it, and the next start makes a new organization and key (the database keeps the old ones).`,
  );
}

export function writeCredentials(folder: string, credentials: Credentials): void {
  writePrivately(credentialsFile(folder), `${JSON.stringify(credentials, null, 2)}\n`);
}

export function credentialsFile(folder: string): string {
  return path.join(folder, "credentials.json");
}

/** Name and password that api and worker log in to the database with. */
export interface ServiceLogin {
  user: string;
  password: string;
}

/** Made once. The name is this data directory's own: on a shared server two of them must not change each other's. */
export function serviceLogin(folder: string): ServiceLogin {
  const file = path.join(folder, "service-login.json");
  if (!existsSync(file)) {
    const login = {
      user: `waymark_service_${randomBytes(4).toString("hex")}`,
      password: randomBytes(24).toString("base64url"),
    };
    writePrivately(file, `${JSON.stringify(login, null, 2)}\n`);
  }
  try {
    const { user, password }: Partial<ServiceLogin> = JSON.parse(readFileSync(file, "utf8"));
    if (typeof user === "string" && typeof password === "string") return { user, password };
  } catch {
    // As above: the parser's message would quote the file.
  }
  throw new Error(`${file} is damaged. Remove it, and the next start makes a new login for api and worker.`);
}

// Whole or not at all, and never readable for others, not even for a moment.
function writePrivately(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}
