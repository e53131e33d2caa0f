import { ROUTES } from "./routes.ts";

/** The sections of the console: the pages that the shell links to. */
export const SECTIONS = (
  ["/", "/services", "/findings", "/journeys", "/coverage", "/environments", "/api-keys"] as const
).map((path) => ({ path, label: ROUTES[path].title }));
