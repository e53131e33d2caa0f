import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  assignFinding,
  listFindingAssignments,
  unassignFinding,
} from "@waymark/shared/scans/finding-assignments/addresses.ts";
import {
  type AssignFindingRequest,
  FindingAssignment,
  FindingAssignmentPage,
} from "@waymark/shared/scans/finding-assignments/schema.ts";
import type { z } from "zod";
import { callApi } from "../../lib/api.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { isUser, NOBODY } from "../../lib/permissions.ts";
import { readPages, readQuery } from "../../lib/read-query.ts";
import { useSession } from "../../lib/use-session.ts";
import type { FindingOfService } from "./use-comments.ts";

const KEY = ["finding-assignments"];

/** The assignment of a finding; null if it is not assigned. */
export function useAssignment({ serviceId, fingerprint }: FindingOfService) {
  const query = apiQuery([...KEY, serviceId, fingerprint], listFindingAssignments, {
    query: { serviceId, fingerprint },
  });
  return useQuery({
    ...readQuery(query, FindingAssignmentPage),
    select: ({ assignments }) => assignments[0] ?? null,
  });
}

/** The findings that are assigned to the signed-in user or to a team of the user, newest first. Disabled for keys that belong to no user. */
export function useOwnAssignments() {
  const { data: session } = useSession();
  const query = apiQuery([...KEY, "me"], listFindingAssignments, { query: { assignee: "me" } });
  return useInfiniteQuery({
    ...readPages(query, FindingAssignmentPage),
    select: ({ pages }) => pages.flatMap(({ assignments }) => assignments),
    enabled: isUser(session ?? NOBODY),
  });
}

function useChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    // The lists of findings name assignees, and are filtered by them.
    onSuccess: () =>
      Promise.all([KEY, ["findings"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** Assigns a finding. */
export function useAssign() {
  return useChange((body: z.input<typeof AssignFindingRequest>) =>
    callApi(assignFinding, { body }, { read: FindingAssignment }),
  );
}

/** Ends the assignment of a finding. */
export function useUnassign() {
  return useChange((finding: FindingOfService) => callApi(unassignFinding, { query: { ...finding } }));
}
