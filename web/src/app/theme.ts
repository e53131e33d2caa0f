import { Alert, Anchor, Badge, createTheme, type Modal, rem, Skeleton } from "@mantine/core";

/** Teal 9 has a contrast of at least 4.5:1 to white, as text colour and as background. */
export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: 9,
  defaultRadius: "sm",
  fontFamily: 'Geist, "Geist Fallback", system-ui, sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  headings: {
    sizes: {
      h1: { fontSize: rem(26), lineHeight: "1.3" },
      h2: { fontSize: rem(19), lineHeight: "1.35" },
      h3: { fontSize: rem(16), lineHeight: "1.4" },
    },
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // A link has the size of the surrounding text.
    Anchor: Anchor.extend({ defaultProps: { inherit: true } }),
    // Shows a status in lower case and in full.
    Badge: Badge.extend({
      defaultProps: { radius: "sm", tt: "none" },
      styles: { root: { flexShrink: 0, maxWidth: "none" }, label: { overflow: "visible" } },
    }),
    // The scroll lock would add a style element without the page's nonce. `Modal.extend` would load the component on every page.
    Modal: {
      defaultProps: { lockScroll: false, closeButtonProps: { "aria-label": "Close" } },
    } satisfies Parameters<typeof Modal.extend>[0],
    // An element without a role can't have the name that says what is loaded.
    Skeleton: Skeleton.extend({ defaultProps: { role: "group" } }),
    // The coloured titles of the other variants have too little contrast.
    Alert: Alert.extend({ defaultProps: { variant: "default" } }),
  },
});
