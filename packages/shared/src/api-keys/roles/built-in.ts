import { EVERY_PERMISSION, type Permission } from "../schema.ts";

type Permissions = readonly (Permission | typeof EVERY_PERMISSION)[];

const VIEWER: Permissions = ["services:read", "endpoints:read", "journeys:read", "environments:read"];

/** The roles that every organization has, with their permissions. */
export const BUILT_IN_ROLES: ReadonlyMap<string, Permissions> = new Map<string, Permissions>([
  ["viewer", VIEWER],
  [
    "developer",
    [
      ...VIEWER,
      "scans:create",
      "services:create",
      "services:update",
      "endpoints:write",
      "changes:approve",
      "findings:decide",
      "journeys:run",
      "journey-results:create",
    ],
  ],
  [
    "journey-editor",
    [...VIEWER, "journeys:write", "journeys:run", "journeys:schedule", "journey-results:create"],
  ],
  ["administrator", [EVERY_PERMISSION]],
]);
