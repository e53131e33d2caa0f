import type { SavedView } from "@waymark/shared/saved-views/schema.ts";

/** Returns the address of a view. */
export function addressOfView({ page, query }: Pick<SavedView, "page" | "query">): string {
  return query === "" ? page : `${page}?${query}`;
}

/** Returns a query as browsers write it, without parameters that say nothing. */
export function canonicalQuery(search: string): string {
  const given = [...new URLSearchParams(search)].filter(([, value]) => value !== "");
  return new URLSearchParams(given).toString();
}

/** True if two queries have the same parameters, in any order. */
export function isSameQuery(one: string, other: string): boolean {
  const sorted = (query: string) => {
    const params = new URLSearchParams(canonicalQuery(query));
    params.sort();
    return params.toString();
  };
  return sorted(one) === sorted(other);
}
