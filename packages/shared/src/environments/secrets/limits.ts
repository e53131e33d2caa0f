/** Texts of 8 characters or more that stand in results of any API, or that people take for a secret while they try things out. */
const COMMON = new Set(
  `12345678 123456789 1234567890 01234567 abcd1234 qwertyui qwertyuiop qwerty123 asdfghjk 1q2w3e4r password password1
  password123 passw0rd changeme changeit letmein1 secret123 mysecret topsecret supersecret iloveyou welcome1 test1234 testtest
  testing1 test-token testtoken placeholder example1 sometoken my-token mytoken1 your-token your-secret yoursecret undefined
  anonymous administrator username authorization content-type application application/json text/plain text/html
  multipart/form-data charset=utf-8 accepted completed cancelled canceled processing succeeded successful not_found forbidden
  unauthorized localhost 127.0.0.1 https:// development production customer customers products accounts invoices payments
  transactions metadata created_at updated_at createdat updatedat timestamp description identifier connection keep-alive
  access_token refresh_token client_id client_secret grant_type client_credentials authorization_code x-api-key`.split(
    /\s+/,
  ),
);

/** Whether a text is a common word, one character repeated, or a run of neighbouring characters. */
export function isCommonText(value: string): boolean {
  const lower = value.trim().toLowerCase();
  return COMMON.has(lower) || isSequence(lower);
}

function isSequence(value: string): boolean {
  const steps = new Set<number>();
  for (let at = 1; at < value.length; at++) {
    steps.add(value.charCodeAt(at) - value.charCodeAt(at - 1));
    if (steps.size > 1) return false;
  }
  const [step = 0] = steps;
  return Math.abs(step) <= 1;
}
