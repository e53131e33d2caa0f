import { answerJson, type FakeServer, startFakeServer } from "./fake-server.ts";

export interface FakeComments extends FakeServer {
  /** The comments that the command wrote, in their order. */
  ours: () => string[];
}

const OTHERS = 100;

/**
 * The comments of pull request 7 of GitHub's acme/shop and of merge request 7 of GitLab's project 42, after those of others. Anything
 * else is not found.
 */
export async function startFakeComments({ status = 200 } = {}): Promise<FakeComments> {
  const comments = Array.from({ length: OTHERS }, (_, id) => ({ id, body: "of somebody else" }));
  const server = await startFakeServer((request, response) => {
    if (status !== 200) return answerJson(response, status, {});
    const { pathname, searchParams } = new URL(request.url, "http://comments");
    const isList =
      pathname === "/repos/acme/shop/issues/7/comments" || pathname === "/projects/42/merge_requests/7/notes";
    if (request.method === "GET" && isList) {
      const [page, size] = [Number(searchParams.get("page")), Number(searchParams.get("per_page"))];
      return answerJson(response, 200, comments.slice((page - 1) * size, page * size));
    }
    const changed = isChange(request.method, pathname)
      ? comments[Number(/\d+$/.exec(pathname)?.[0])]
      : undefined;
    if (changed === undefined && !(request.method === "POST" && isList)) return answerJson(response, 404, {});
    const { body }: { body: string } = JSON.parse(request.body);
    if (changed === undefined) comments.push({ id: comments.length, body });
    else changed.body = body;
    return answerJson(response, changed === undefined ? 201 : 200, {});
  });
  return { ...server, ours: () => comments.slice(OTHERS).map(({ body }) => body) };
}

/** GitHub has comments of all issues in one place, and other methods than GitLab. */
function isChange(method: string, pathname: string): boolean {
  return (
    (method === "PATCH" && /^\/repos\/acme\/shop\/issues\/comments\/\d+$/.test(pathname)) ||
    (method === "PUT" && /^\/projects\/42\/merge_requests\/7\/notes\/\d+$/.test(pathname))
  );
}
