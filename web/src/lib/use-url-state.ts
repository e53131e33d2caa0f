import { useLocation, useSearch } from "wouter";

/** A filter stored in the URL, so that links keep it. An empty string means "not set". */
export function useUrlState(name: string): [string, (value: string) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const value = new URLSearchParams(search).get(name) ?? "";
  return [value, (next) => navigate(addressWith(path, name, next), { replace: true })];
}

/** A tab stored in the URL. An unknown value selects the first tab, which needs no value. */
export function useUrlTab<Tab extends string>(
  tabs: readonly [Tab, ...Tab[]],
): { value: Tab; onChange: (value: string | null) => void } {
  const [value, setValue] = useUrlState("tab");
  return {
    value: tabs.find((tab) => tab === value) ?? tabs[0],
    onChange: (next) => setValue(next === null || next === tabs[0] ? "" : next),
  };
}

export interface UrlDialog {
  /** Empty while the dialog is closed. */
  value: string;
  open: (value: string) => void;
  /** Shows another value in the dialog that is open, in its history entry. */
  replace: (value: string) => void;
  close: () => void;
  /** Closes the dialog and stays in its history entry, for a dialog that another one replaces. */
  discard: () => void;
}

/** A dialog that is open while the URL has its parameter. It opens with a history entry of its own, so that Back closes it. */
export function useUrlDialog(name: string): UrlDialog {
  const value = new URLSearchParams(useSearch()).get(name) ?? "";
  const [path, navigate] = useLocation();
  const discard = () => navigate(addressWith(path, name, ""), { replace: true });
  return {
    value,
    discard,
    replace: (next) =>
      navigate(addressWith(path, name, next), {
        replace: true,
        ...(hasOwnEntry(name) && { state: { dialog: name } }),
      }),
    open: (next) => navigate(addressWith(path, name, next), { state: { dialog: name } }),
    close: () => {
      // A link may have opened the dialog. Then there is no entry to go back to.
      if (hasOwnEntry(name)) globalThis.history.back();
      else discard();
    },
  };
}

function hasOwnEntry(name: string): boolean {
  const state: unknown = globalThis.history.state;
  return typeof state === "object" && state !== null && "dialog" in state && state.dialog === name;
}

/** Reads the current URL, because several parameters may change between two renders. */
function addressWith(path: string, name: string, value: string): string {
  const params = new URLSearchParams(globalThis.location.search);
  if (value === "") params.delete(name);
  else params.set(name, value);
  const query = params.toString();
  return query === "" ? path : `${path}?${query}`;
}
