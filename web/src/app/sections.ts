import { CONSOLE_PAGES } from "@waymark/shared/console/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { hasPermission } from "../lib/permissions.ts";
import { ROUTES } from "./routes.ts";

const SECTIONS = CONSOLE_PAGES.filter((path) => ROUTES[path].section === path);

/** Returns the sections of the console to which the shell links in a session: the pages that are in a section of their own. */
export function sectionsFor(session: Pick<Session, "scopes">): { path: string; label: string }[] {
  return SECTIONS.filter((path) => {
    const { needs, isUnlisted = false } = ROUTES[path];
    return !isUnlisted || needs.every((one) => hasPermission(session, one));
  }).map((path) => ({ path, label: ROUTES[path].title }));
}
