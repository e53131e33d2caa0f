import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import type { Session as FullSession } from "@waymark/shared/session/schema.ts";
import { endpointAddress } from "../lib/endpoint/endpoint-address.ts";
import { sortExactFirst } from "../lib/exact-first.ts";
import { matchesText } from "../lib/matches-text.ts";
import { isUser } from "../lib/permissions.ts";
import { ROUTES } from "./routes.ts";
import { sectionsFor } from "./sections.ts";

/** Somewhere to go. */
export interface Target {
  label: string;
  kind: string;
  href: string;
  /** Another name that it is found by, such as a path. */
  alias?: string;
}

type Session = Pick<FullSession, "scopes" | "principal">;

const EACH_MAX = 6;
const OTHER_PAGES: readonly Target[] = [
  { label: "Endpoints of all services", kind: "page", href: "/endpoints" },
  { label: "Decisions about findings and changes", kind: "page", href: "/decisions" },
  { label: ROUTES["/trust-policies"].title, kind: "page", href: "/trust-policies" },
  { label: ROUTES["/audit-log"].title, kind: "page", href: "/audit-log" },
  { label: ROUTES["/limits"].title, kind: "page", href: "/limits" },
];

function pagesFor(session: Session): Target[] {
  const sections = sectionsFor(session).map(({ path, label }) => ({ label, kind: "page", href: path }));
  const own = [{ label: ROUTES["/my-keys"].title, kind: "page", href: "/my-keys" }];
  return [...sections, ...OTHER_PAGES, ...(isUser(session) ? own : [])];
}

/** Returns what has the text in its name, a few of each list, exact names first; without a text, the pages. */
export function findTargets(
  text: string,
  found: {
    /** Everything of each kind that has a name. */
    lists: readonly (readonly Target[])[];
    /** The endpoints that the server has found. */
    endpoints: readonly FoundEndpoint[];
    session: Session;
  },
): Target[] {
  const wanted = text.trim();
  const pages = pagesFor(found.session);
  if (wanted === "") return pages;
  const isExact = ({ label, alias }: Target) =>
    [label, alias].some((name) => name?.toLowerCase() === wanted.toLowerCase());
  const named = found.lists.flatMap((list) => {
    const matching = list.filter(({ label, alias }) => matchesText(wanted, [label, alias]));
    return sortExactFirst(matching, isExact).slice(0, EACH_MAX);
  });
  const targets = [
    ...pages.filter(({ label }) => matchesText(wanted, [label])),
    ...named,
    ...found.endpoints.slice(0, EACH_MAX).map((endpoint) => ({
      label: `${endpoint.method} ${endpoint.path}`,
      kind: endpoint.serviceName,
      href: endpointAddress(endpoint.serviceId, endpoint),
    })),
  ];
  // Enter opens the first one.
  return sortExactFirst(targets, isExact);
}
