import { Checkbox, Fieldset, PasswordInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import {
  IDENTITY_PROVIDER_LIMITS,
  type IdentityProvider,
} from "@waymark/shared/principals/identity-providers/schema.ts";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { useState } from "react";
import { FormDialog } from "../../lib/form-dialog.tsx";
import {
  groupsOfLines,
  linesOfGroups,
  linesOfRoles,
  linesOfTeams,
  MappingError,
  rolesOfLines,
  teamsOfLines,
  valuesOf,
} from "./mapping-lines.ts";
import { useSaveIdentityProvider } from "./use-identity-providers.ts";

const NEW = {
  displayName: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  emailDomains: "",
  groups: "",
  scopes: "",
  groupsClaim: "groups",
  roles: "* = viewer",
  teams: "",
};
type Texts = typeof NEW;

/** Adds an identity provider, or changes one. @param props.provider undefined for a new one */
export function ProviderDialog(props: { provider: IdentityProvider | undefined; onClose: () => void }) {
  const { provider, onClose } = props;
  const save = useSaveIdentityProvider(provider?.id);
  const [texts, setTexts] = useState<Texts>(provider === undefined ? NEW : textsOf(provider));
  const [removesSecret, setRemovesSecret] = useState(false);
  const [trustsEmail, setTrustsEmail] = useState(provider?.trustsEmail ?? false);
  const field = (name: keyof Texts) => ({
    value: texts[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setTexts({ ...texts, [name]: event.currentTarget.value }),
    autoComplete: "off",
  });
  const problems = {
    groups: problemOf(() => groupsOfLines(texts.groups)),
    roles: problemOf(() => rolesOfLines(texts.roles)),
    teams: problemOf(() => teamsOfLines(texts.teams)),
  };
  const isIncomplete =
    [texts.displayName, texts.issuer, texts.clientId].some((text) => text.trim() === "") ||
    (texts.emailDomains + texts.groups).trim() === "" ||
    Object.values(problems).some((problem) => problem !== undefined);
  return (
    <FormDialog
      title={
        provider === undefined ? (
          "Add an identity provider"
        ) : (
          <span className="breaks">Change {provider.displayName}</span>
        )
      }
      size="lg"
      submitLabel={provider === undefined ? "Add the provider" : "Save the provider"}
      request={save}
      failureTitle="The provider was not saved"
      isDisabled={isIncomplete}
      form={{ noValidate: true, autoComplete: "off" }}
      onSubmit={() => save.mutate(requestOf(texts, { trustsEmail, removesSecret }), { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="The sign-in page says: Continue with …"
        maxLength={PRINCIPAL_LIMITS.displayNameMax}
        data-autofocus
        {...field("displayName")}
      />
      <TextInput
        label="Issuer"
        description={
          provider === undefined
            ? "Such as https://id.example.com/realms/acme"
            : "It can't be changed. Add another provider instead."
        }
        maxLength={IDENTITY_PROVIDER_LIMITS.issuerMax}
        readOnly={provider !== undefined}
        {...field("issuer")}
      />
      <TextInput label="Client id" maxLength={IDENTITY_PROVIDER_LIMITS.clientIdMax} {...field("clientId")} />
      <PasswordInput
        label="Client secret"
        description={
          provider?.hasClientSecret === true ? "Empty: it stays as it is." : "Empty for a public client."
        }
        maxLength={IDENTITY_PROVIDER_LIMITS.clientSecretMax}
        disabled={removesSecret}
        {...field("clientSecret")}
      />
      {provider?.hasClientSecret === true && (
        <Checkbox
          label="Remove the client secret"
          description="The provider must know Waymark as a public client then."
          checked={removesSecret}
          onChange={(event) => setRemovesSecret(event.currentTarget.checked)}
        />
      )}
      <Fieldset legend="Who may sign in">
        <Stack>
          <Textarea
            label="E-mail domains"
            description="One a line, such as example.com"
            autosize
            minRows={1}
            {...field("emailDomains")}
          />
          <Textarea
            label="Groups"
            description="One a line. People need an address in a domain, if there are any, and one of the groups, if there are any."
            autosize
            minRows={1}
            error={problems.groups}
            {...field("groups")}
          />
          <Checkbox
            label="The provider's administrators vouch for all e-mail addresses"
            description="Needed for providers that don't say whether an address is verified, such as Entra ID."
            checked={trustsEmail}
            onChange={(event) => setTrustsEmail(event.currentTarget.checked)}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="What they may do">
        <Stack>
          <Textarea
            label="Roles"
            description="One a line: group = role, or group = role for shop-*. The group * is everybody."
            autosize
            minRows={2}
            error={problems.roles}
            {...field("roles")}
          />
          <Textarea
            label="Teams"
            description="One a line: group = team"
            autosize
            minRows={1}
            error={problems.teams}
            {...field("teams")}
          />
          <TextInput label="Claim with the groups" {...field("groupsClaim")} />
          <TextInput
            label="More scopes to request"
            description="Such as groups. Separated by spaces."
            {...field("scopes")}
          />
        </Stack>
      </Fieldset>
      {provider === undefined && (
        <Text size="sm">The next step shows the redirect URI, which you register at the provider.</Text>
      )}
    </FormDialog>
  );
}

function textsOf(provider: IdentityProvider): Texts {
  const { displayName, issuer, clientId, emailDomains, groups, scopes, groupsClaim, roles, teams } = provider;
  return {
    displayName,
    issuer,
    clientId,
    clientSecret: "",
    emailDomains: emailDomains.join("\n"),
    groups: linesOfGroups(groups),
    scopes: scopes.join(" "),
    groupsClaim,
    roles: linesOfRoles(roles),
    teams: linesOfTeams(teams),
  };
}

function requestOf(
  texts: Texts,
  { trustsEmail, removesSecret }: { trustsEmail: boolean; removesSecret: boolean },
) {
  const { displayName, issuer, clientId, clientSecret, groupsClaim } = texts;
  return {
    displayName: displayName.trim(),
    issuer: issuer.trim(),
    clientId: clientId.trim(),
    ...(removesSecret ? { clientSecret: null } : clientSecret === "" ? {} : { clientSecret }),
    emailDomains: valuesOf(texts.emailDomains).map((domain) => domain.toLowerCase()),
    groups: groupsOfLines(texts.groups),
    scopes: valuesOf(texts.scopes.replaceAll(" ", "\n")),
    ...(groupsClaim.trim() === "" ? {} : { groupsClaim: groupsClaim.trim() }),
    trustsEmail,
    roles: rolesOfLines(texts.roles),
    teams: teamsOfLines(texts.teams),
  };
}

function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof MappingError) return error.message;
    throw error;
  }
}
