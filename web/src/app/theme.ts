import { Alert, Anchor, Badge, createTheme, Modal, rem } from "@mantine/core";

/** Teal 9 keeps 4.5:1 with white, as text and as the ground of it. */
export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: 9,
  defaultRadius: "sm",
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
    // A link is as large as the text that it stands in.
    Anchor: Anchor.extend({ defaultProps: { inherit: true } }),
    // A state is a word: it is neither shouted nor cut.
    Badge: Badge.extend({
      defaultProps: { radius: "sm", tt: "none" },
      styles: { root: { flexShrink: 0, maxWidth: "none" }, label: { overflow: "visible" } },
    }),
    // The scroll lock adds a style element of its own, without the page's nonce.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, closeButtonProps: { "aria-label": "Close" } } }),
    // The coloured title of the other variants is too pale to read.
    Alert: Alert.extend({ defaultProps: { variant: "default" } }),
  },
});
