import { useLocation, useSearch } from "wouter";

/** A filter that lives in the address, so that a link keeps it. The empty string is "not set". */
export function useUrlState(name: string): [string, (value: string) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const value = new URLSearchParams(search).get(name) ?? "";
  const setValue = (next: string) => {
    // Read anew: several filters may change between two renders.
    const params = new URLSearchParams(globalThis.location.search);
    if (next === "") params.delete(name);
    else params.set(name, next);
    const query = params.toString();
    navigate(query === "" ? path : `${path}?${query}`, { replace: true });
  };
  return [value, setValue];
}
