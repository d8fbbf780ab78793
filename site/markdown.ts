import { posix } from 'node:path';

/** The parts of markdown-it that are used here. */
interface Token {
  type: string;
  tag: string;
  attrs: [string, string][] | null;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
}
interface State {
  src: string;
  readonly tokens: readonly Token[];
  readonly env: { readonly relativePath?: string };
}
interface Ruler {
  push(name: string, rule: (state: State) => void): void;
  before(other: string, name: string, rule: (state: State) => void): void;
}
interface Markdown {
  readonly core: { readonly ruler: Ruler };
}

/** The anchor that GitHub gives a heading, so that links are right in both places. */
export const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/**
 * Comments are left out, and links to source files, which the site does not contain, become text. Folders
 * have a README.md on a code host, and an index page here.
 */
export function adaptMarkdown({ core: { ruler } }: Markdown): void {
  ruler.before('normalize', 'comments', (state) => {
    state.src = state.src.replaceAll(/^<!--.*?-->$/gms, '');
  });
  ruler.push('source-links', ({ tokens, env }) => {
    const folder = posix.dirname(env.relativePath ?? '');
    for (const { children } of tokens) if (children) replaceSourceLinks(children, folder);
  });
}

/** @param path - with or without an anchor */
export const toIndex = (path: string): string => path.replace(/README\.md(?=#|$)/, 'index.md');

function replaceSourceLinks(tokens: readonly Token[], folder: string): void {
  let isReplaced = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? '';
      const target = posix.join(folder, href);
      token.attrs?.forEach((pair) => {
        if (pair[0] === 'href') pair[1] = toIndex(pair[1]);
      });
      isReplaced = !/^[a-z]+:|^#/.test(href) && (target.startsWith('..') || target.endsWith('.yaml'));
      const file = posix.join('docs', target).replace(/^(\.\.\/)+/, '');
      if (isReplaced) token.attrs = [['title', `${file} in the repository`]];
    }
    // Links do not contain links.
    if (isReplaced && token.tag === 'a') {
      token.type = token.type.replace('link', 'span');
      token.tag = 'span';
    }
  }
}
