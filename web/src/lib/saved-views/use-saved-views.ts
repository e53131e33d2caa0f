import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createSavedView,
  deleteSavedView,
  listSavedViews,
  updateSavedView,
} from "@waymark/shared/saved-views/addresses.ts";
import {
  type CreateSavedViewRequest,
  SavedView,
  type UpdateSavedViewRequest,
} from "@waymark/shared/saved-views/schema.ts";
import { apiQuery, PAGE_LIMIT } from "../api-query.ts";
import { callApi } from "../api.ts";
import { isUser, NOBODY } from "../permissions.ts";
import { readList } from "../read-query.ts";
import { useMay, useSession } from "../use-session.ts";

const KEY = ["saved-views"];
const ALL = apiQuery(KEY, listSavedViews, { query: { limit: PAGE_LIMIT } });

/** True if the session has saved views: those of a person. */
export function useHasViews(): boolean {
  const { data: session } = useSession();
  const mayRead = useMay("services:read");
  return mayRead && isUser(session ?? NOBODY);
}

/** The views of all pages, of the person and of the person's teams. @param isWanted false until something needs them */
export function useSavedViews(isWanted: boolean) {
  const hasViews = useHasViews();
  return useQuery({
    ...readList(ALL, { field: "savedViews", item: SavedView }),
    enabled: isWanted && hasViews,
    staleTime: 60_000,
  });
}

export function useSaveView() {
  return useChange((body: CreateSavedViewRequest) => callApi(createSavedView, { body }, { read: SavedView }));
}

export function useUpdateView({ id: savedViewId, revision }: Pick<SavedView, "id" | "revision">) {
  return useChange((body: UpdateSavedViewRequest) =>
    callApi(
      updateSavedView,
      { params: { savedViewId }, headers: { "if-match": `"${revision}"` }, body },
      { read: SavedView },
    ),
  );
}

export function useRemoveView({ id: savedViewId }: Pick<SavedView, "id">) {
  return useChange(() => callApi(deleteSavedView, { params: { savedViewId } }));
}

/** Makes a change, and loads the list again: also after a refusal, because a colleague may have changed the view. */
function useChange<Request, Result>(mutationFn: (request: Request) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: KEY }) });
}
