/** The comments of one pull request, as its server's interface has them. */
export interface CommentThread {
  /** Such as `pull request 7 of acme/shop`. */
  name: string;
  /** The address that lists the comments, in pages, and takes new ones. */
  url: string;
  /** The address of one comment. */
  urlOf: (id: number) => string;
  updateMethod: "PATCH" | "PUT";
  headers: Record<string, string>;
  /** The permission that the token needs, as the message about a refusal says it. */
  permission: string;
}

/** The address of a server's interface with a path. @returns undefined if the variable has no address */
export function addressBelow(base: string | undefined, path: string): string | undefined {
  if (base === undefined || !URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    return undefined;
  return base.replace(/\/+$/, "") + path;
}
