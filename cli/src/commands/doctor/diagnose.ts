import { authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { OwnKey } from "../../api/keys-api.ts";
import { plural } from "../../lib/text.ts";

const CLOCK_TOLERANCE_MS = 60_000;
const DAY_MS = 86_400_000;
const EXPIRY_WARNING_DAYS = 14;

/** Compares the clocks of this machine and the server, by the server's Date header. */
export function describeClock(date: string | undefined, now: number): { isOff: boolean; text: string } {
  const server = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(server)) return { isOff: false, text: "clock: the server does not tell its time" };
  const difference = now - server;
  if (Math.abs(difference) <= CLOCK_TOLERANCE_MS)
    return { isOff: false, text: "clock: agrees with the server's" };
  const seconds = Math.round(Math.abs(difference) / 1000);
  return {
    isOff: true,
    text: `clock: this machine is ${seconds} s ${difference > 0 ? "ahead of" : "behind"} the server`,
  };
}

/** Describes in days when a key expires. */
export function describeExpiry(expiresAt: string | null, now: number): { isSoon: boolean; text: string } {
  if (expiresAt === null) return { isSoon: false, text: "which does not expire" };
  const days = Math.floor((Date.parse(expiresAt) - now) / DAY_MS);
  return { isSoon: days < EXPIRY_WARNING_DAYS, text: `which expires in ${plural(days, "day")}` };
}

/**
 * The permissions that a key lacks to scan a service, in the server's words.
 * @param service its id is null if there is none with that name, undefined if that is unknown
 */
export function missingPermissions(
  key: OwnKey,
  service: { name: string; id: string | null | undefined },
): string[] {
  const actor = { organizationId: key.organizationId, apiKeyId: key.id, scopes: key.scopes };
  const resource = {
    serviceName: service.name,
    ...(typeof service.id === "string" && { serviceId: service.id }),
  };
  const forService: Permission[] =
    service.id === null ? ["services:create"] : service.id === undefined ? [] : ["services:update"];
  try {
    authorizeAll(actor, ["scans:create", ...forService, "endpoints:write"], resource);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [error.message];
    throw error;
  }
}
