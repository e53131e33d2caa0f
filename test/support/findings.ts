import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import type { HttpClient } from "./http-client.ts";

/** Reads all pages of `GET /api/findings`. */
export async function listAllFindings(
  { http }: { http: HttpClient },
  search: Record<string, string>,
): Promise<CurrentFinding[]> {
  const found: CurrentFinding[] = [];
  let cursor: string | undefined;
  do {
    const fields = new URLSearchParams({ ...search, ...(cursor !== undefined && { cursor }) });
    const { body } = await http.get<{ findings: CurrentFinding[]; nextCursor?: string }>(
      `/api/findings?${fields.toString()}`,
    );
    found.push(...body.findings);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return found;
}
