import { useLocation, useSearch } from "wouter";

/** A filter stored in the URL, so that links keep it. An empty string means "not set". */
export function useUrlState(name: string): [string, (value: string) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const value = new URLSearchParams(search).get(name) ?? "";
  const setValue = (next: string) => {
    // Reads the current URL, because several filters may change between two renders.
    const params = new URLSearchParams(globalThis.location.search);
    if (next === "") params.delete(name);
    else params.set(name, next);
    const query = params.toString();
    navigate(query === "" ? path : `${path}?${query}`, { replace: true });
  };
  return [value, setValue];
}
