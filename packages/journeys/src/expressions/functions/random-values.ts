type Random = () => number;

const HEX = "0123456789abcdef";
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const NAMES = {
  firstName: [
    "Ada",
    "Alan",
    "Amina",
    "Barbara",
    "Chen",
    "Edsger",
    "Grace",
    "Hedy",
    "Ines",
    "John",
    "Katherine",
    "Linus",
    "Margaret",
    "Omar",
    "Radia",
    "Tim",
  ],
  lastName: [
    "Allen",
    "Bartik",
    "Cerf",
    "Diaz",
    "Engel",
    "Hopper",
    "Ito",
    "Johnson",
    "Kahn",
    "Liskov",
    "Moore",
    "Nakamura",
    "Okafor",
    "Perlman",
    "Silva",
    "Wirth",
  ],
} as const;

/** A version 4 UUID from a source of random numbers. */
export function randomUuid(random: Random): string {
  let text = "";
  for (let at = 0; at < 32; at++) text += HEX.charAt(Math.floor(random() * 16));
  const variant = HEX.charAt(8 + Math.floor(random() * 4));
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}

export function randomLetters(random: Random, length: number): string {
  return Array.from({ length }, () => LETTERS.charAt(Math.floor(random() * LETTERS.length))).join("");
}

export function randomEmail(random: Random): string {
  return `${randomLetters(random, 12)}@example.com`;
}

export function pickName(kind: keyof typeof NAMES, random: Random): string {
  const names = NAMES[kind];
  return names[Math.floor(random() * names.length)] ?? names[0];
}
