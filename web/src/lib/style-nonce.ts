/** The nonce that the api puts into each page. The content security policy requires it for style elements that scripts create. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
