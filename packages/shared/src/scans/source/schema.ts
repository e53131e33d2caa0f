import { z } from "zod";
import { carriesCredentials } from "../../lib/carries-credentials.ts";
import { showInvisible } from "../../lib/invisible.ts";
import { BuildUrl, label, NO_CREDENTIALS, text } from "../../lib/schema.ts";
import { AUTHOR_CHARS_MAX, BRANCH_CHARS_MAX, REPOSITORY_CHARS_MAX } from "../limits.ts";

/** A field of a scan's source: a header of the request, and a member of the stored run. */
export interface SourceField<Header extends string = `waymark-${string}`> {
  /** In lower case, as Node has it. */
  header: Header;
  /** True if the header has the value percent-encoded: headers are ASCII. */
  isEncoded: boolean;
  /** A value that the server accepts. */
  value: z.ZodType<string, string>;
  /** A stored value, as responses have it. */
  stored: z.ZodType<string, string>;
  description: string;
}

const line = (max: number) =>
  text({ min: 1, max }).regex(/^\P{Cc}*$/u, "must not contain control characters or line breaks");

const EMAIL = /[^\s@<>]@[^\s@<>]+\.[^\s@<>]|<[^<>]*@/;

/** The kinds of builds: of a branch, or of something that is not a branch of the service's repository. */
export const BUILD_KINDS = ["branch", "fork", "merge_queue", "preview", "pull_request", "tag"] as const;
export type BuildKind = (typeof BUILD_KINDS)[number];

/** The name of a branch. */
export const BranchName = line(BRANCH_CHARS_MAX);
const Commit = z
  .string()
  .regex(/^[0-9A-Fa-f]{7,64}$/, "must be the hexadecimal id of a commit")
  // Git prints them in small letters, and one commit must not have two names.
  .toLowerCase();
const PullRequest = z.string().regex(/^[1-9][0-9]{0,17}$/, "must be the number of a pull request");
const Repository = line(REPOSITORY_CHARS_MAX).refine((value) => !carriesCredentials(value), NO_CREDENTIALS);
const Author = label({ min: 1, max: AUTHOR_CHARS_MAX })
  .refine((value) => showInvisible(value) === value, "must not contain invisible characters")
  .refine((value) => !EMAIL.test(value), "must be a name without an e-mail address");

/**
 * The fields of a scan's source, in the order in which they are sent. Each is declared here only: the headers of the request, the
 * stored run and the scan that the command keeps for later follow from this list.
 */
export const SOURCE_FIELDS = {
  branch: encoded(
    "waymark-branch",
    BranchName,
    "The branch that the description is of; `someone:main` in a fork.",
  ),
  commit: plain("waymark-commit", Commit, "The commit that the description is of."),
  url: address("waymark-build-url", "The page of the build"),
  pullRequest: plain("waymark-pull-request", PullRequest, "The number of the pull or merge request."),
  kind: plain(
    "waymark-build-kind",
    z.enum(BUILD_KINDS),
    "The build: of a `branch` of the repository, of a `fork`, a `merge_queue`, a `preview`, a `pull_request` or a `tag`.",
  ),
  baseBranch: encoded(
    "waymark-base-branch",
    BranchName,
    "The branch that the pull request is to be merged into.",
  ),
  defaultBranch: encoded(
    "waymark-default-branch",
    BranchName,
    "The default branch of the repository, as the build says.",
  ),
  author: encoded("waymark-author", Author, "The display name of the commit's author, without an address."),
  pullRequestUrl: address("waymark-pull-request-url", "The page of the pull or merge request"),
  repository: encoded(
    "waymark-repository",
    Repository,
    "The address of the repository, without a user name, a password or a token.",
  ),
};

export type SourceFieldName = keyof typeof SOURCE_FIELDS;

/** Returns an object with what a function returns for each field, in the order of the fields. */
export function ofSourceFields<T>(
  valueOf: (field: SourceField, name: SourceFieldName) => T,
): Record<SourceFieldName, T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the fields
  const fields = Object.entries(SOURCE_FIELDS) as [SourceFieldName, SourceField][];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the fields
  return Object.fromEntries(fields.map(([name, field]) => [name, valueOf(field, name)])) as Record<
    SourceFieldName,
    T
  >;
}

/** The source of a scan as a client has it. What is not known is left out. */
export const SubmittedSource = z.strictObject(ofSourceFields(({ value }) => value.optional()));
export type SubmittedSource = z.infer<typeof SubmittedSource>;

/** Where the description of a scan comes from. What is not known is null. */
export const ScanSource = z
  .object(ofSourceFields(({ stored, description }) => stored.nullable().meta({ description })))
  .meta({ id: "ScanSource" });
export type ScanSource = z.infer<typeof ScanSource>;

function encoded<const Header extends string>(
  header: Header,
  value: z.ZodType<string, string>,
  description: string,
): SourceField<Header> {
  return { header, isEncoded: true, value, stored: z.string(), description };
}

function plain<const Header extends string>(
  header: Header,
  value: z.ZodType<string, string>,
  description: string,
): SourceField<Header> {
  return { ...encoded(header, value, description), isEncoded: false };
}

function address<const Header extends string>(header: Header, what: string): SourceField<Header> {
  const description = `${what}, without a user name, a password or a token.`;
  return { header, isEncoded: false, value: BuildUrl.meta({ description }), stored: z.url(), description };
}
