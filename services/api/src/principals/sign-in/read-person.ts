import type { StoredProvider } from "@waymark/server/principals/identity-providers/queries.ts";
import { INVISIBLE_CHARACTER } from "@waymark/shared/lib/invisible.ts";
import { EmailAddress } from "@waymark/shared/principals/invitations/schema.ts";
import { DisplayName, PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import type { ProviderClaims } from "./provider-client.ts";
import { refused } from "./provider-errors.ts";

const SUBJECT_MAX = 255;
const PROVIDER_SESSION_MAX = 500;
const GROUPS_MAX = 2_000;
/** Everybody can have an account with any address there, so that an address proves nothing of an organization. */
const GOOGLE = "https://accounts.google.com";

/** A person, as a provider knows them. */
export interface Person {
  subject: string;
  email: string;
  displayName: string;
  groups: readonly string[];
  /** The provider's own session, if it says which. */
  providerSession: string | null;
  /** When the provider saw the credentials, if it says so. */
  authenticatedAt: Date | null;
}

export type Rules = Pick<
  StoredProvider,
  "issuer" | "emailDomains" | "groups" | "groupsClaim" | "trustsEmail" | "roles" | "teams"
>;

/** The claims that the rules read, besides those that every ID token has. */
export function wantedClaims({ groups, groupsClaim, roles, teams, trustsEmail }: Rules): string[] {
  const needsGroups = groups.length > 0 || teams.length > 0 || roles.some(({ group }) => group !== null);
  return ["email", "name", ...(trustsEmail ? [] : ["email_verified"]), ...(needsGroups ? [groupsClaim] : [])];
}

/**
 * Reads who signs in, and checks that they may.
 *
 * @throws AppError `sign_in_refused` that says what is missing
 */
export function readPerson(rules: Rules, claims: ProviderClaims): Person {
  const { sub: subject, sid, auth_time: authTime } = claims;
  if (subject.length === 0 || subject.length > SUBJECT_MAX || subject.includes("\0"))
    throw refused("The identity provider's response has no usable subject (sub).");
  const email = readEmail(rules, claims);
  const groups = readGroups(rules, claims);
  assertAdmitted(rules, { email, groups, claims });
  return {
    subject,
    email,
    displayName: readName(claims) ?? email.slice(0, PRINCIPAL_LIMITS.displayNameMax),
    groups,
    providerSession: typeof sid === "string" && sid.length <= PROVIDER_SESSION_MAX ? sid : null,
    authenticatedAt: readTime(authTime),
  };
}

function readEmail({ trustsEmail }: Rules, claims: ProviderClaims): string {
  // Entra has no e-mail claim unless it is set up, and the name by which the person signs in is an address there.
  const claim = claims["email"] ?? (trustsEmail ? claims["preferred_username"] : undefined);
  if (claim === undefined)
    throw refused(
      "The identity provider does not say your e-mail address. Ask an administrator to add the claim email.",
    );
  const email = EmailAddress.safeParse(claim);
  if (!email.success)
    throw refused(
      "Your e-mail address at the identity provider is not one of ASCII characters, as Waymark needs.",
    );
  const verified = claims["email_verified"];
  // Some providers send a text.
  const isVerified = verified === true || verified === "true" || (verified === undefined && trustsEmail);
  if (!isVerified)
    throw refused(
      "The identity provider has not verified your e-mail address. Verify it there, and sign in again.",
    );
  return email.data;
}

function readGroups({ groupsClaim }: Rules, claims: ProviderClaims): string[] {
  const claim = groupsClaim in claims ? claims[groupsClaim] : valueAt(claims, groupsClaim);
  const groups = typeof claim === "string" ? [claim] : Array.isArray(claim) ? claim : [];
  // A provider leaves out a list that is too long, and names where it is.
  const isElsewhere = isRecord(claims["_claim_names"]) && Object.hasOwn(claims["_claim_names"], groupsClaim);
  // Nobody loses a role because the list is not complete.
  if (isElsewhere || groups.length > GROUPS_MAX) {
    throw refused(
      `You are in more groups than the identity provider sends, or in more than ${GROUPS_MAX}. Ask an administrator to have it send only the ` +
        "groups of this application.",
    );
  }
  return groups.filter((group): group is string => typeof group === "string");
}

/** Returns a time in seconds as a date; null for a value that is none. */
function readTime(seconds: unknown): Date | null {
  const time = typeof seconds === "number" ? new Date(seconds * 1000) : null;
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}

/** Reads a claim inside of others: Keycloak has the roles of a realm in `realm_access.roles`. */
function valueAt(claims: unknown, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>((at, part) => (isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined), claims);
}

function assertAdmitted(
  rules: Rules,
  { email, groups, claims }: { email: string; groups: readonly string[]; claims: ProviderClaims },
): void {
  const domain = domainOf(email);
  if (rules.emailDomains.length > 0) {
    if (!rules.emailDomains.includes(domain))
      throw refused(`People with an e-mail address at ${domain} may not sign in here.`);
    if (rules.issuer === GOOGLE && claims["hd"] !== domain)
      throw refused(`Your Google account is not one of the organization's at ${domain}.`);
  }
  if (rules.groups.length > 0 && !rules.groups.some((group) => groups.includes(group)))
    throw refused(
      "You are in none of the groups whose people may sign in. Ask an administrator to add you to one.",
    );
}

/** The domain of an address, in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1).toLowerCase();
}

function readName({ name, given_name: given, family_name: family }: ProviderClaims): string | undefined {
  const parts =
    typeof name === "string" ? [name] : [given, family].filter((part) => typeof part === "string");
  const text = parts.join(" ").replaceAll(new RegExp(INVISIBLE_CHARACTER, "gu"), "");
  const short = Array.from(text.trim()).slice(0, PRINCIPAL_LIMITS.displayNameMax).join("").trim();
  const parsed = DisplayName.safeParse(short);
  return parsed.success ? parsed.data : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
