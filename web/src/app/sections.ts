/** The sections of the console, with the addresses of their pages. */
export const SECTIONS = [
  { path: "/", label: "Overview", pages: /^\/$/ },
  { path: "/services", label: "Services", pages: /^\/(services|scan-runs|endpoints)/ },
  { path: "/findings", label: "Findings", pages: /^\/findings/ },
  { path: "/journeys", label: "Journeys", pages: /^\/journey/ },
  { path: "/coverage", label: "Coverage", pages: /^\/coverage/ },
  { path: "/environments", label: "Environments", pages: /^\/environments/ },
  { path: "/api-keys", label: "API keys", pages: /^\/(api-keys|audit-log|limits)/ },
] as const;
