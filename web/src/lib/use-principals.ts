import { useQuery } from "@tanstack/react-query";
import { Principal } from "@waymark/shared/principals/schema.ts";
import { PRINCIPALS } from "./api-queries.ts";
import { readList } from "./read-query.ts";

/** The users and service accounts, newest first. */
export function usePrincipals({ enabled = true } = {}) {
  return useQuery({
    ...readList(PRINCIPALS, { field: "principals", item: Principal }),
    enabled,
  });
}
