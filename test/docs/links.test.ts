import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorsIn, localLinksIn } from './find-links.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const pagesBelow = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));

const PAGES = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  ...['docs', 'examples', 'test'].flatMap(pagesBelow),
].toSorted();

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

const isThere = (path: string): boolean => statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined;

function brokenLinksOf(page: string): readonly string[] {
  return localLinksIn(textOf(page)).flatMap(({ path, anchor }) => {
    const target = path === '' ? page : join(dirname(page), path);
    const reported = `${path}${anchor === '' ? '' : `#${anchor}`}`;
    if (relative('.', target).startsWith('..') || !isThere(target)) return [reported];
    const hasAnchor = anchor === '' || !target.endsWith('.md') || anchorsIn(textOf(target)).has(anchor);
    return hasAnchor ? [] : [reported];
  });
}

describe('the documentation', () => {
  it.each(PAGES)('has only links to existing targets in %s', (page) => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  it('has no page that the README does not lead to', () => {
    const reached = new Set<string>();
    const follow = (page: string): void => {
      if (reached.has(page) || !page.endsWith('.md') || !isThere(page)) return;
      reached.add(page);
      for (const { path } of localLinksIn(textOf(page))) follow(join(dirname(page), path));
    };
    follow('README.md');
    const lost = PAGES.filter((page) => /^docs\/(?!decisions\/)/.test(page) && !reached.has(page));

    expect(lost).toEqual([]);
  });
});

describe('findLinks', () => {
  it('finds links in prose, in images and as references, but not in code', () => {
    const text = [
      '[a](b.md#c-d) ![e](f.png "g") <img src="h.png">',
      '[i]: j.md',
      '`[k](l.md)` [m](https://example.com) [n](#o)',
      '```\n[p](q.md)\n```',
    ].join('\n');

    expect(localLinksIn(text)).toEqual([
      { path: 'b.md', anchor: 'c-d' },
      { path: 'f.png', anchor: '' },
      { path: '', anchor: 'o' },
      { path: 'j.md', anchor: '' },
      { path: 'h.png', anchor: '' },
    ]);
  });

  it('resolves headings by the anchors that GitHub gives them', () => {
    const text = '# The `mortise` command\n## Two words\n## Two words\n```\n# no\n```\n### A, [b](c)!';

    expect([...anchorsIn(text)]).toEqual(['the-mortise-command', 'two-words', 'two-words-1', 'a-b']);
  });
});
