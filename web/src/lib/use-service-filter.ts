import { useLabelFilter } from "./label-filter.tsx";
import { useOwnerFilter } from "./owner-filter.tsx";
import { withoutEmpty } from "./without-empty.ts";

/** Returns a function that makes the address of a page which filters services as this one does. */
export function useServiceFilterAddress(): (
  path: string,
  query?: Readonly<Record<string, string>>,
) => string {
  const { text: label } = useLabelFilter();
  const owner = useOwnerFilter();
  return (path, query = {}) => {
    const search = new URLSearchParams(withoutEmpty({ ...query, owner, label })).toString();
    return search === "" ? path : `${path}?${search}`;
  };
}
