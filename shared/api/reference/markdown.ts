/** Blocks with an empty line between them, and one line feed at the end. */
export const paragraphs = (blocks: readonly (string | undefined)[]): string =>
  `${blocks.filter((block) => block !== undefined && block !== '').join('\n\n')}\n`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');

// A bar would end the cell, a line feed the table.
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
