import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findDeadLinks } from '../../site/dead-links.ts';
import { NAVIGATION } from '../../site/navigation.ts';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const PAGES = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
const LISTED = NAVIGATION.flatMap(({ pages }) => pages.map(([, path]) => path));

test('The navigation of the site has every page once, decisions by their list.', () => {
  const expected = PAGES.filter((page) => !/^decisions\/\d/.test(page));

  expect(LISTED.toSorted()).toEqual(expected.toSorted());
});

test('The guides of the navigation are those of their list.', () => {
  const list = readFileSync(join(DOCS, 'guides/README.md'), 'utf8');
  const guides = LISTED.filter((path) => /^guides\/(?!README)/.test(path));

  expect(guides.filter((path) => !list.includes(path.replace('guides/', '')))).toEqual([]);
});

test('Links to files and anchors that the built site does not have are listed.', async () => {
  const site = mkdtempSync(join(tmpdir(), 'mortise-site-'));
  onTestFinished(() => rmSync(site, { recursive: true }));
  mkdirSync(join(site, 'guides'));
  writeFileSync(join(site, 'cost.html'), '<h2 id="a-month">A month</h2><a href="#a-year">x</a>');
  const right = ['./../cost.html#a-month', '/docs/guides/', '../', './', 'mailto:a@example.com'];
  const wrong = ['/docs/cost.html#a-week', './README.html', '/cost.html', '../none/'];
  writeFileSync(join(site, 'index.html'), '<img alt="A" src="/docs/none.png">');
  writeFileSync(
    join(site, 'guides/index.html'),
    [...right, ...wrong].map((href) => `<a class="link" href="${href}">x</a>`).join(''),
  );

  expect((await findDeadLinks(site, '/docs/')).toSorted()).toEqual(
    [
      'cost.html: #a-year',
      'index.html: /docs/none.png',
      ...wrong.map((href) => `guides/index.html: ${href}`),
    ].toSorted(),
  );
});
