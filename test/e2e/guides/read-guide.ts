import { codeBlocksIn } from '../../docs/code-blocks.ts';

/** A command of a guide. */
export interface GuideCommand {
  /** One line with its comment, as the tables of this folder name it. */
  readonly line: string;
  /** The output that the guide shows. */
  readonly shown?: string;
}

export interface Guide {
  /** In the order of the guide. */
  readonly commands: readonly GuideCommand[];
  /** The files that the reader writes, by their names. */
  readonly files: ReadonlyMap<string, string>;
}

const FILE_NAME = /^(?:#|\/\/) (\S+\.\w+)\n/;
const ASSIGNMENT = /^(\w+)=(?:\$\(.*\)|\S*)$/;

/**
 * Reads a guide. `sh` blocks contain commands, a `text` block is the output of the last command before
 * it, and other blocks are files whose first line names them.
 */
export function readGuide(markdown: string): Guide {
  const commands: GuideCommand[] = [];
  const files = new Map<string, string>();
  for (const { language, text } of codeBlocksIn(markdown)) {
    if (language === 'sh') commands.push(...readCommands(text));
    else if (language === 'text') {
      const last = commands.pop();
      if (last) commands.push({ ...last, shown: text });
    } else {
      const name = FILE_NAME.exec(text)?.[1];
      if (name !== undefined) files.set(name, text);
    }
  }
  return { commands, files };
}

const readCommands = (block: string): readonly GuideCommand[] =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ line }));

/** Returns the variable if the line is nothing but its assignment. */
export const findVariable = (line: string): string | undefined => ASSIGNMENT.exec(line)?.[1];

/** Lists the commands with flags that stand in the text of a guide, outside of its blocks. */
export const inlineCommandsIn = (markdown: string): readonly string[] =>
  [...markdown.replaceAll(/^( *)```[\s\S]*?^ *```/gm, '').matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
    .filter((code) => INLINE_COMMAND.test(code));

const INLINE_COMMAND = /^(?:npx|npm|mortise|kubectl|aws|cdk|eksctl|helm|terraform)\b.* -/;
