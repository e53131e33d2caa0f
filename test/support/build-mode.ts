import type { DocumentText, JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";
import type { Locator, Page } from "playwright-core";
import type { z } from "zod";
import type { HttpClient } from "./http-client.ts";
import { journeyText } from "./journeys.ts";

/** Opens the YAML view of a document and puts the cursor behind its last character. */
export async function openText(page: Page, id: string): Promise<Locator> {
  await page.goto(`/journeys/${id}/edit?view=yaml`);
  const editor = page.getByRole("textbox", { name: /^Text of/ });
  await goToEnd(editor);
  return editor;
}

/** Puts the cursor behind the last character of the editor. */
export async function goToEnd(editor: Locator): Promise<void> {
  await editor.click();
  await editor.page().keyboard.press("ControlOrMeta+End");
}

/** The newest stored version of a document. */
export async function storedText(
  { http }: { http: HttpClient },
  id: string,
): Promise<{ version: number; text: string }> {
  const { body } = await http.get<JourneyDocumentDetail>(`/api/journeys/${id}`);
  const version = body.headVersion;
  const stored = await http.get<z.infer<typeof DocumentText>>(`/api/journeys/${id}/versions/${version}`);
  return { version, text: stored.body.text };
}

/** A journey of two steps, of which the second has an assertion with an id. */
export const TWO_STEPS = `# kept
${journeyText("Steps")}      - stepId: pong # and this
        x-operation: { url: "https://api.example/pong", method: get }
        successCriteria: [{ x-id: fine, condition: $statusCode == 200 }]
`;
