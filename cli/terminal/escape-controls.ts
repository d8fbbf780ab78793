const NEWLINE = 0x0a;
const TAB = 0x09;

/**
 * Escapes the characters with which a name could change what a terminal does or shows: control
 * characters (except newline and tab), and marks that change the direction of text. They become
 * `\u001b` and the like, which JSON reads back unchanged.
 *
 * @param isPainted - keeps the colours that the command itself writes
 */
export function escapeControls(text: string, isPainted = false): string {
  return text
    .split(isPainted ? OWN_COLOURS : /(?!)/)
    .map((part, index) => (index % 2 === 1 ? part : escapePart(part)))
    .join('');
}

/** The codes of the terminal's tones: bold, dim, red, green, yellow, and their ends. */
const OWN_COLOURS = new RegExp(`(${String.fromCharCode(0x1b)}\\[(?:1|2|22|31|32|33|39)m)`);

const escapePart = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code === NEWLINE || code === TAB) return character;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
