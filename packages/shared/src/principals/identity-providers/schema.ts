import { z } from "zod";
import { IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { RoleName, ROLE_LIMITS, ServiceNames } from "../roles/schema.ts";
import { DisplayName } from "../schema.ts";
import { TeamSlug } from "../team-names/schema.ts";

export const IDENTITY_PROVIDER_LIMITS = {
  providersMax: 10,
  issuerMax: 400,
  clientIdMax: 300,
  clientSecretMax: 1_000,
  domainsMax: 50,
  groupsMax: 100,
  groupNameMax: 300,
  scopesMax: 10,
  rolesMax: 100,
} as const;

const Issuer = text({ min: 1, max: IDENTITY_PROVIDER_LIMITS.issuerMax })
  .refine(
    (issuer) => URL.canParse(issuer) && new URL(issuer).protocol === "https:",
    "must be an https:// address",
  )
  .refine(
    (issuer) => !URL.canParse(issuer) || !/[?#@\s]/.test(issuer),
    "must not have a query, a fragment or a user name",
  )
  .meta({ description: "As the provider's discovery document has it. It can't be changed later." });

/** Visible ASCII, as client ids, secrets and scopes have it. */
const visible = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[!-~]+$/, "must have visible ASCII characters only");

/** A domain of e-mail addresses, in lower case. */
export const EmailDomain = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    "must be a domain in lower case, such as example.com",
  );

const Group = text({ min: 1, max: IDENTITY_PROVIDER_LIMITS.groupNameMax });

/** A role for the people of a group, or for everybody who may sign in. */
const MappedRole = z.strictObject({
  role: RoleName,
  serviceNames: ServiceNames.nullable().optional(),
  group: Group.nullable().meta({
    description: "A value of the claim of groups. Null: everybody who may sign in.",
  }),
});

const fields = {
  displayName: DisplayName.meta({ description: "The name on the button of the sign-in page." }),
  clientId: visible(IDENTITY_PROVIDER_LIMITS.clientIdMax),
  clientSecret: visible(IDENTITY_PROVIDER_LIMITS.clientSecretMax).nullable().optional().meta({
    description:
      "Encrypted, and never returned. Null: a public client. Absent: as it was, and a public client for a new provider.",
  }),
  scopes: z
    .array(visible(100))
    .max(IDENTITY_PROVIDER_LIMITS.scopesMax)
    .optional()
    .meta({ description: "Scopes to request besides openid, email and profile, such as groups." }),
  emailDomains: z
    .array(EmailDomain)
    .max(IDENTITY_PROVIDER_LIMITS.domainsMax)
    .optional()
    .meta({ description: "Only people whose address is in one of these domains may sign in." }),
  groups: z
    .array(Group)
    .max(IDENTITY_PROVIDER_LIMITS.groupsMax)
    .optional()
    .meta({ description: "Only people in one of these groups may sign in." }),
  groupsClaim: visible(200).optional().meta({
    description:
      "The claim of the ID token or of the UserInfo response that has the groups. Default: groups.",
  }),
  trustsEmail: z.boolean().optional().meta({
    description:
      "True if the issuer's administrators vouch for all e-mail addresses, so that the claim email_verified may be missing. Default: false.",
  }),
  teams: z
    .array(z.strictObject({ group: Group, team: TeamSlug }))
    .max(IDENTITY_PROVIDER_LIMITS.rolesMax)
    .optional()
    .meta({ description: "The teams of which the people of a group are members, by their slugs." }),
  roles: z
    .array(MappedRole)
    .max(IDENTITY_PROVIDER_LIMITS.rolesMax)
    .optional()
    .meta({ description: "The roles of the people. At each sign-in, a person gets and loses roles by it." }),
};

type Admission = { emailDomains?: readonly string[] | undefined; groups?: readonly string[] | undefined };

const admitsSomebody = ({ emailDomains = [], groups = [] }: Admission) =>
  emailDomains.length + groups.length > 0;
const ADMITS = {
  path: ["emailDomains"],
  error:
    "must have at least 1 item if there are no groups: otherwise everybody with an account at the issuer could sign in",
};

export const CreateIdentityProviderRequest = z
  .strictObject({ issuer: Issuer, ...fields })
  .refine(admitsSomebody, ADMITS)
  .meta({ id: "CreateIdentityProviderRequest" });
export type CreateIdentityProviderRequest = z.infer<typeof CreateIdentityProviderRequest>;

/** Replaces what can be changed of a provider: what is absent gets its default, but for the client secret. */
export const UpdateIdentityProviderRequest = z
  .strictObject(fields)
  .refine(admitsSomebody, ADMITS)
  .meta({ id: "UpdateIdentityProviderRequest" });
export type UpdateIdentityProviderRequest = z.infer<typeof UpdateIdentityProviderRequest>;

/** A provider by which the people of the organization sign in. */
export const IdentityProvider = z
  .object({
    id: Uuid,
    displayName: z.string(),
    issuer: z.string(),
    clientId: z.string(),
    hasClientSecret: z.boolean(),
    scopes: z.array(z.string()),
    emailDomains: z.array(z.string()),
    groups: z.array(z.string()),
    groupsClaim: z.string(),
    trustsEmail: z.boolean(),
    roles: z.array(
      z.object({
        group: z.string().nullable(),
        role: z.string(),
        serviceNames: z.array(z.string()).max(ROLE_LIMITS.serviceNamesMax).nullable(),
      }),
    ),
    teams: z.array(z.object({ group: z.string(), team: z.string() })),
    signInDomains: z.array(z.string()).meta({
      description:
        "Domains of e-mail addresses that lead to this provider on the sign-in page. The operator sets them.",
    }),
    redirectUri: z.string().meta({ description: "The redirect URI to register at the provider." }),
    backChannelLogoutUri: z
      .string()
      .meta({ description: "The back-channel logout URI to register at the provider." }),
    createdAt: IsoDateTime,
    updatedAt: IsoDateTime,
    createdBy: Uuid.nullable().meta({ description: "The key that created it. Null for the operator." }),
  })
  .meta({ id: "IdentityProvider" });
export type IdentityProvider = z.infer<typeof IdentityProvider>;

export const IdentityProviderList = z
  .object({ identityProviders: z.array(IdentityProvider) })
  .meta({ id: "IdentityProviderList" });
