/** The characters of ASCII that HTML has names for; each line is a character and its names. */
const ASCII = `
! excl
" quot QUOT
# num
$ dollar
% percnt
& amp AMP
' apos
( lpar
) rpar
* ast midast
+ plus
, comma
. period
/ sol
: colon
; semi
< lt LT
= equals
> gt GT
? quest
@ commat
[ lsqb lbrack
\\ bsol
] rsqb rbrack
^ Hat
_ lowbar UnderBar
\` grave
{ lcub lbrace
| verbar vert VerticalLine
} rcub rbrace`;

/** The names of U+00A0 to U+00FF, in their order. */
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** The character behind a name of HTML, such as `amp`; the rarer names are left out. */
export const HTML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ...ASCII.trim()
    .split("\n")
    .flatMap((line) => {
      const [character = "", ...names] = line.split(" ");
      return names.map((name): [string, string] => [name, character]);
    }),
  ...LATIN_1.split(" ").map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
]);
