/** A fenced block of a Markdown text, without the indentation that it has in a list. */
export interface CodeBlock {
  /** The word after the fence; empty if there is none. */
  readonly language: string;
  readonly text: string;
}

/** Lists the fenced blocks of a text in their order. */
export const codeBlocksIn = (markdown: string): readonly CodeBlock[] =>
  [...markdown.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```/gm)].map(([, indent = '', language = '', text = '']) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

/**
 * Lists the commands of shell blocks, each as its words. A command ends at a pipe, a redirection, `&&` or a comment;
 * a line that ends with `\` continues.
 */
export const commandsIn = (markdown: string): readonly (readonly string[])[] =>
  codeBlocksIn(markdown)
    .filter(({ language }) => language === '' || language === 'sh')
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .flatMap((line) => splitCommands(line.replace(/^\$ /, '')));

const TOKEN =
  /(?<end>\s#.*$|\|\||&&|[|;]|\d?>{1,2}\s*\S+)|(?<word>(?:'[^']*'|"[^"]*"|\$\([^)]*\)|[^\s'"|;>&]|[>&](?!\s))+)/g;

function splitCommands(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const { groups } of line.matchAll(TOKEN)) {
    if (groups?.word === undefined) commands.push([]);
    else commands.at(-1)?.push(groups.word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return commands.filter((words) => words.length > 0);
}
