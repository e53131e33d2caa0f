import { z } from "zod";

/** A comment that exists. */
export interface Comment {
  text: string;
  /** The address at which it is changed. */
  url: string;
}

/** The comments of one pull request, as its server's interface has them. */
export interface CommentThread {
  /** Such as `pull request 7 of acme/shop`. */
  name: string;
  /** The address of a page of the comments, from 1. */
  pageUrl: (page: number) => string;
  /** Reads such a page; undefined if it is none. */
  readPage: (body: unknown) => { comments: Comment[]; isLast: boolean } | undefined;
  /** The address that takes new comments. */
  createUrl: string;
  /** Returns the body of the request for a new comment, and for a changed one. */
  contentOf: (text: string, change: "create" | "update") => object;
  updateMethod: "PATCH" | "PUT";
  /** Returns the line that a comment begins with, which nobody sees. */
  markerOf: (id: string) => string;
  /** The most characters of a comment. */
  charactersMax: number;
  headers: Record<string, string>;
  /** The permission that the token needs, as the message about a refusal says it. */
  permission: string;
}

const PAGE_SIZE = 100;
const Comments = z.array(z.object({ id: z.int().min(0), body: z.string().nullish() }));

/** Returns how GitHub and GitLab have comments: in numbered pages of `{ id, body }`. */
export function plainComments(
  url: string,
  urlOf: (id: number) => string,
): Pick<CommentThread, "pageUrl" | "readPage" | "createUrl" | "contentOf" | "markerOf" | "charactersMax"> {
  return {
    pageUrl: (page) => `${url}?per_page=${PAGE_SIZE}&page=${page}`,
    readPage: (body) => {
      const { data } = Comments.safeParse(body);
      if (data === undefined) return undefined;
      const comments = data.map((each) => ({ text: each.body ?? "", url: urlOf(each.id) }));
      return { comments, isLast: data.length < PAGE_SIZE };
    },
    createUrl: url,
    contentOf: (text) => ({ body: text }),
    markerOf: htmlMarker,
    // GitHub refuses comments of more than 65,536 characters.
    charactersMax: 65_000,
  };
}

/** Encoded, an id can't end the HTML comment. */
export function htmlMarker(id: string): string {
  return `<!-- waymark ${encodeURIComponent(id.toWellFormed())} -->`;
}

/** The address of a server's interface with a path. @returns undefined if the variable has no address */
export function addressBelow(base: string | undefined, path: string): string | undefined {
  if (base === undefined || !URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    return undefined;
  return base.replace(/\/+$/, "") + path;
}
