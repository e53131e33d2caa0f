import { CONSOLE_PAGES } from "@waymark/shared/console/schema.ts";
import { ROUTES } from "./routes.ts";

/** The sections of the console, to which the shell links: the pages that are in a section of their own. */
export const SECTIONS = CONSOLE_PAGES.filter((path) => ROUTES[path].section === path).map((path) => ({
  path,
  label: ROUTES[path].title,
}));
