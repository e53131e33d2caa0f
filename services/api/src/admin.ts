import { type ParseArgsConfig, parseArgs } from "node:util";
import { latestExpiry } from "@waymark/server/api-keys/validate-new-key.ts";
import { rotateDataKeys } from "@waymark/server/encryption/data-keys.ts";
import { requireKeyRing } from "@waymark/server/encryption/key-ring.ts";
import { createDatabasePool, type DatabasePool } from "@waymark/server/db/pool.ts";
import { escapeControls, printableJson } from "@waymark/shared/lib/printable.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { CreateInvitationRequest } from "@waymark/shared/principals/invitations/schema.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import { createKeyAsOperator, listAllKeys, revokeFoundKey } from "./api-keys/admin-commands.ts";
import { loadIssuerEgressAllow, loadKeyLifetimeDaysMax, loadKeyRing, loadOwnerConfig } from "./config.ts";
import { setDecisionDays, setDescriptions, setRunLinks } from "./organizations/change-settings.ts";
import { createOrganization } from "./organizations/create-organization.ts";
import { setIdentityProvider } from "./principals/identity-providers/admin-command.ts";
import { inviteAsOperator } from "./principals/invitations/invite.ts";

const USAGE = `The operator's commands. They need no API key, but DATABASE_URL with the login of the database's owner.

  npm run admin -- create-organization NAME
      Creates an organization and its first key, which has full access. Prints the key once.
  npm run admin -- create-key --organization ID --name NAME --scope PERMISSION [--scope …]
                   [--expires-at TIME] [--network CIDR …] [--owner-type user|service_account] [--owner-id UUID]
      Creates a key with these scopes: permissions such as scans:create, or JSON objects. Prints the key once.
  npm run admin -- list-keys --organization ID
  npm run admin -- revoke-key ID|PREFIX [--children]
      Revokes a key permanently, from the next request on, even the last one with full access.
      --children also revokes every key that it created, and those that they created.

  npm run admin -- invite EMAIL --organization ID [--role ROLE …] --url URL
      Prints a link by which a person becomes a user with these roles (administrator, if none is given): once, for 7 days.
      URL is the address of the console.

  npm run admin -- set-identity-provider FILE --organization ID --url URL [--sign-in-domain DOMAIN …]
      Adds the identity provider by which people sign in, or changes the one with the same issuer and client. FILE has what
      POST /api/identity-providers takes, as JSON. The sign-in page leads people with an e-mail address at DOMAIN to it.

  npm run admin -- set-descriptions on|off --organization ID
      Off: the descriptions behind scans are refused from the next request on, and scans have their endpoints only.
      Stored ones stay until their runs are deleted.

  npm run admin -- set-run-links on|off --organization ID
      Off: nobody shares runs of journeys by links, and the links that there are do not work. On: those that have not expired work again.

  npm run admin -- set-decision-days DAYS --organization ID
      Sets for how many days decisions about findings hold at most, 365 by default. Those that were made stay.

  npm run admin -- rotate-keys
      Encrypts every organization's data key with the first key of JOURNEY_KEYS, which must still have the old ones.
      Secrets stay as they are. Prints which keys are still needed.

  --json   print JSON instead of text, with every command
`;

const OPTIONS = {
  json: { type: "boolean", default: false },
  organization: { type: "string" },
  name: { type: "string" },
  scope: { type: "string", multiple: true },
  "expires-at": { type: "string" },
  network: { type: "string", multiple: true },
  children: { type: "boolean", default: false },
  "owner-type": { type: "string", default: "service_account" },
  "owner-id": { type: "string" },
  role: { type: "string", multiple: true, default: ["administrator"] },
  url: { type: "string" },
  "sign-in-domain": { type: "string", multiple: true },
} as const satisfies ParseArgsConfig["options"];

const STORE_IT = "Save the key now: it can't be shown again.";

type Arguments = ReturnType<typeof parse>;

class UsageError extends Error {}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const usage = error instanceof UsageError || (error instanceof TypeError && "code" in error);
  process.stderr.write(
    `waymark admin: ${escapeControls(toError(error).message)}\n${usage ? `\n${USAGE}` : ""}`,
  );
  process.exitCode = usage ? 2 : 1;
}

function parse(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: OPTIONS });
}

async function run(args: string[]): Promise<void> {
  const parsed = parse(args);
  const command = commandOf(parsed);
  const db = await createDatabasePool(loadOwnerConfig().databaseUrl, {
    max: 1,
    applicationName: "waymark-admin",
  });
  try {
    const { json, text } = await command(db);
    process.stdout.write(parsed.values.json ? `${printableJson(json)}\n` : `${text}\n`);
  } finally {
    await db.end();
  }
}

type Command = (db: DatabasePool) => Promise<{ json: unknown; text: string }>;

function commandOf(parsed: Arguments): Command {
  const [name, ...rest] = parsed.positionals;
  const argument = rest.join(" ");
  switch (name) {
    case "create-organization":
      return createOrganizationCommand(required(argument, "NAME"));
    case "create-key":
      return createKeyCommand(parsed.values);
    case "list-keys":
      return listKeysCommand(required(parsed.values.organization, "--organization"));
    case "revoke-key":
      return revokeKeyCommand(required(argument, "the key's ID or PREFIX"), parsed.values.children);
    case "invite":
      return inviteCommand(required(argument, "EMAIL"), parsed.values);
    case "set-identity-provider":
      return setIdentityProviderCommand(required(argument, "FILE"), parsed.values);
    case "set-descriptions":
      return setDescriptionsCommand(argument, required(parsed.values.organization, "--organization"));
    case "set-run-links":
      return setRunLinksCommand(argument, required(parsed.values.organization, "--organization"));
    case "set-decision-days":
      return setDecisionDaysCommand(argument, required(parsed.values.organization, "--organization"));
    case "rotate-keys":
      return rotateKeysCommand();
    default:
      throw new UsageError(name === undefined ? "a command is required" : "unknown command");
  }
}

function createOrganizationCommand(name: string): Command {
  return async (db) => {
    const created = await createOrganization(db, { name });
    return {
      json: created,
      text: `Organization: ${created.organizationId}\nAPI key:      ${created.apiKey}\n${STORE_IT}`,
    };
  };
}

function createKeyCommand(values: Arguments["values"]): Command {
  const organizationId = required(values.organization, "--organization");
  const name = required(values.name, "--name");
  const scopes = values.scope ?? [];
  if (scopes.length === 0) throw new UsageError("--scope is required");
  return async (db) => {
    const { apiKey, rawKey } = await createKeyAsOperator(db, {
      organizationId,
      name,
      scopes,
      ownerType: values["owner-type"],
      ownerId: values["owner-id"],
      expiresAt: values["expires-at"],
      networks: values.network,
    });
    warnOfLongLife(apiKey.expiresAt);
    return {
      json: { organizationId, id: apiKey.id, prefix: apiKey.prefix, apiKey: rawKey },
      text: `Id:      ${apiKey.id}\nAPI key: ${rawKey}\n${STORE_IT}`,
    };
  };
}

/** The maximum applies to keys created over HTTP. The operator may exceed it, but gets a warning. */
function warnOfLongLife(expiresAt: string | null): void {
  const daysMax = loadKeyLifetimeDaysMax();
  const latest = latestExpiry(new Date(), daysMax);
  if (latest === null || (expiresAt !== null && new Date(expiresAt) <= latest)) return;
  process.stderr.write(
    `waymark admin: this key's lifetime exceeds API_KEY_LIFETIME_DAYS_MAX (${daysMax} days), the limit over HTTP.\n`,
  );
}

function listKeysCommand(organizationId: string): Command {
  return async (db) => {
    const apiKeys = await listAllKeys(db, organizationId);
    const lines = apiKeys.map((key) => {
      const permissions = key.scopes.map((scope) => scope.permission).join(",");
      return [
        key.id,
        key.prefix,
        (key.status === "active" && key.disabledAt !== null ? "disabled" : key.status).padEnd(8),
        key.expiresAt ?? "no expiry",
        key.name,
        permissions,
      ]
        .map(escapeControls)
        .join("  ");
    });
    return { json: { apiKeys }, text: lines.length === 0 ? "No keys." : lines.join("\n") };
  };
}

function revokeKeyCommand(idOrKey: string, children: boolean): Command {
  return async (db) => {
    const apiKey = await revokeFoundKey(db, { idOrKey, children });
    const count = apiKey.revokedCount === undefined ? "" : `\nKeys revoked: ${apiKey.revokedCount}`;
    return {
      json: { apiKey },
      text: `Revoked: ${apiKey.id} (${apiKey.prefix}, ${escapeControls(apiKey.name)})${count}`,
    };
  };
}

function inviteCommand(email: string, { organization, role, url }: Arguments["values"]): Command {
  const organizationId = required(organization, "--organization");
  const baseUrl = requiredUrl(url);
  const request = CreateInvitationRequest.safeParse({ email, roles: role.map((name) => ({ role: name })) });
  if (!request.success) throw new UsageError("EMAIL or --role is not valid");
  return async (db) => {
    const invitation = await inviteAsOperator(db, { organizationId, request: request.data, baseUrl });
    return {
      json: invitation,
      text: `Link:    ${invitation.url}\nExpires: ${invitation.expiresAt}\nSend it to ${escapeControls(email)} only: whoever opens it first becomes the user.`,
    };
  };
}

function setIdentityProviderCommand(file: string, values: Arguments["values"]): Command {
  const organizationId = required(values.organization, "--organization");
  const baseUrl = requiredUrl(values.url);
  return async (db) => {
    const provider = await setIdentityProvider(db, {
      organizationId,
      file,
      baseUrl,
      signInDomains: values["sign-in-domain"],
      keyRing: loadKeyRing(),
      egressAllow: loadIssuerEgressAllow(),
    });
    return {
      json: provider,
      text:
        `Identity provider:       ${provider.id} (${escapeControls(provider.displayName)})\nRegister these there:\n` +
        `Redirect URI:            ${provider.redirectUri}\nBack-channel logout URI: ${provider.backChannelLogoutUri}`,
    };
  };
}

function setDescriptionsCommand(value: string, organizationId: string): Command {
  const isOn = isOnOf(value, "set-descriptions");
  return async (db) => {
    await setDescriptions(db, { organizationId, isOn });
    const text = isOn ? "Descriptions are stored." : "Descriptions are refused. Stored ones stay.";
    return { json: { organizationId, storesDescriptions: isOn }, text };
  };
}

function setRunLinksCommand(value: string, organizationId: string): Command {
  const isOn = isOnOf(value, "set-run-links");
  return async (db) => {
    await setRunLinks(db, { organizationId, isOn });
    const text = isOn ? "Runs can be shared by links." : "Runs are not shared. No link works.";
    return { json: { organizationId, sharesJourneyRuns: isOn }, text };
  };
}

function isOnOf(value: string, command: string): boolean {
  if (value !== "on" && value !== "off") throw new UsageError(`${command} needs on or off`);
  return value === "on";
}

function setDecisionDaysCommand(value: string, organizationId: string): Command {
  const days = /^[1-9]\d{0,3}$/.test(value) ? Number(value) : Number.NaN;
  if (!(days <= DECISION_LIMITS.daysMaxMax))
    throw new UsageError(`set-decision-days needs a number of days from 1 to ${DECISION_LIMITS.daysMaxMax}`);
  return async (db) => {
    await setDecisionDays(db, { organizationId, days });
    const text = `Decisions about findings hold at most ${days} days. Those that were made stay.`;
    return { json: { organizationId, findingDecisionDaysMax: days }, text };
  };
}

function rotateKeysCommand(): Command {
  const ring = requireKeyRing(loadKeyRing());
  return async (db) => {
    const { rotated, needed, unreadable } = await rotateDataKeys(db, ring);
    for (const { organizationId, dataKeyId, reason } of unreadable) {
      process.stderr.write(
        `waymark admin: data key ${dataKeyId} of organization ${organizationId}: ${reason}\n`,
      );
    }
    if (unreadable.length > 0) {
      throw new Error(`${rotated} data keys were changed, and ${unreadable.length} could not be decrypted.`);
    }
    const unneeded = [...ring.byId.keys()].filter((id) => id !== ring.current.id && !needed.includes(id));
    const removable = unneeded.length === 0 ? "" : `\nJOURNEY_KEYS no longer needs: ${unneeded.join(", ")}`;
    return {
      json: { rotated, currentKey: ring.current.id, neededKeys: needed, unneededKeys: unneeded },
      text: `Data keys encrypted with ${ring.current.id}: ${rotated} changed.${removable}`,
    };
  };
}

function requiredUrl(value: string | undefined): string {
  const url = required(value, "--url").replace(/\/$/, "");
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError("--url must be an address");
  return url;
}

function required(value: string | undefined, what: string): string {
  if (value === undefined || value === "") throw new UsageError(`${what} is required`);
  return value;
}
