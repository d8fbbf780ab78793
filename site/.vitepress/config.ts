import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme, UserConfig } from 'vitepress';
import { findDeadLinks } from '../dead-links.ts';
import { adaptMarkdown, slugify, toIndex } from '../markdown.ts';
import { NAVIGATION } from '../navigation.ts';
import { findWrongResults, SEARCH_OPTIONS } from '../search.ts';

/** Pages are compiled to Vue, which they find only inside of this package: so they are copied. */
const PAGES = fileURLToPath(new URL('../pages', import.meta.url));
rmSync(PAGES, { recursive: true, force: true });
cpSync(fileURLToPath(new URL('../../docs', import.meta.url)), PAGES, { recursive: true });

const BASE = process.env.SITE_BASE ?? '/';
const OUT_DIR = fileURLToPath(new URL('../../dist/site', import.meta.url));

export default {
  title: 'Mortise',
  description: 'A serverless node autoscaler for Amazon EKS',
  srcDir: 'pages',
  outDir: OUT_DIR,
  cacheDir: 'node_modules/.cache/vitepress',
  base: BASE,
  rewrites: toIndex,
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { searchOptions: SEARCH_OPTIONS } } },
    outline: [2, 3],
    sidebar: NAVIGATION.map(({ text, pages, collapsed }) => ({
      text,
      ...(collapsed !== undefined && { collapsed }),
      items: pages.map(([title, path]) => ({
        text: title,
        link: `/${toIndex(path).replace(/index\.md$/, '')}`,
      })),
    })),
  },
  markdown: {
    // `<name>` in a sentence is a placeholder, and braces are JSON.
    html: false,
    attrs: { disable: true },
    anchor: { slugify },
    config: adaptMarkdown,
  },
  async buildEnd() {
    const problems = [
      ...(await findDeadLinks(OUT_DIR, BASE)).map((link) => `dead link: ${link}`),
      ...(await findWrongResults(OUT_DIR, BASE)).map((query) => `search: ${query}`),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  },
} satisfies UserConfig<DefaultTheme.Config>;
