/** Query parameters that are credentials wherever they appear, compared without case, `-` and `_`. */
const CREDENTIAL_PARAMETERS =
  /token$|^(?:x?api(?:key|secret)|(?:access|auth|private|secret|subscription)key|authorization|bearer|jwt|password|passwd|passphrase|pwd|secret|clientsecret|credentials?|sig|signature|xamz(?:signature|credential)|xgoog(?:signature|credential))$/;

// These patterns read a text in one pass, also one that is far too long: its length may be checked later.
/** A user before the host: after slashes, as in `https://user@host`, or with a password, as in `user:password@host/path`. */
const USER = /^(?:[^/?#@]*[/\\]{2}[^/\\?#]*@|[^/\\?#@\s][^:/\\?#@\s]*:[^/\\?#@\s]*@)/;
/** An `@` anywhere after the first two slashes. */
const AT_AFTER_SLASHES = /^(?:[^/\\?#@]|\\(?![/\\]))*[/\\]{2}.*@/s;

/**
 * True if an address, or a text like one, has a user name, a password or a token: it would be shown to everybody who may read it. Also
 * reads what no client could open, such as an address with a wrong port. `git@host:path`, where the user is no secret, has none.
 */
export function carriesCredentials(text: string): boolean {
  return hasUser(text) || parameterNames(text).some((name) => CREDENTIAL_PARAMETERS.test(name));
}

function hasUser(text: string): boolean {
  if (USER.test(text)) return true;
  // A password with an unescaped slash or question mark ends the address's host for every parser.
  if (!URL.canParse(text)) return AT_AFTER_SLASHES.test(text);
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

/** The names of parameters, also of those in a fragment. */
function parameterNames(text: string): string[] {
  return text
    .split(/[?&#;]/)
    .slice(1)
    .filter((part) => part.includes("="))
    .map((part) =>
      decode(part.slice(0, part.indexOf("=")))
        .toLowerCase()
        .replaceAll(/[-_]/g, ""),
    );
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A name with a wrong escape is compared as it is.
    return name;
  }
}
