/** A reference resolved against the file it stands in, as a URL; relative names become paths of one imaginary root. */
function resolved(reference: string, from: string): string | undefined {
  if (!URL.canParse(from, "file:///")) return undefined;
  const base = new URL(from, "file:///");
  return URL.canParse(reference, base.href) ? new URL(reference, base.href).href : undefined;
}

/** Whether an overlay's `extends` means a document, by the file it is in or by its `$self`. */
export function extendsDocument(
  reference: string,
  overlayFile: string,
  document: { file: string; self: string | undefined },
): boolean {
  if (reference === document.self) return true;
  const meant = resolved(reference, overlayFile);
  if (meant === undefined) return false;
  const self = document.self === undefined ? undefined : resolved(document.self, document.file);
  return meant === resolved(document.file, "") || meant === self;
}
