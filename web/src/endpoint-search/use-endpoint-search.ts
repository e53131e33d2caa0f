import { EndpointSearchResult } from "@waymark/shared/endpoint-search/schema.ts";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { searchEndpoints } from "@waymark/shared/endpoint-search/addresses.ts";
import { callApi } from "../lib/api.ts";

export const SHOWN_MAX = 100;
/** The time without typing after which a request is sent. */
const TYPING_MS = 150;

/**
 * The current endpoints of all services that match the text, soon after it was typed. While the next ones load, the last ones stay, and
 * `isOfText` is false.
 *
 * @param services the labels and the owner of the services; empty for all services
 */
export function useEndpointSearch(
  typed: string,
  { label = "", owner = "" }: { label?: string; owner?: string } = {},
) {
  const [text] = useDebouncedValue(typed, TYPING_MS);
  const search = useQuery({
    queryKey: ["endpoint-search", text, label, owner],
    queryFn: ({ signal }) =>
      callApi(
        searchEndpoints,
        { query: { q: text, limit: SHOWN_MAX, label: label || undefined, owner: owner || undefined } },
        { signal, read: EndpointSearchResult },
      ),
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
  });
  return { ...search, isOfText: text === typed && !search.isPlaceholderData };
}
