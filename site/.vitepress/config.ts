import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme, UserConfig } from 'vitepress';
import { findDeadAnchors } from '../dead-anchors.ts';
import { adaptMarkdown, slugify } from '../markdown.ts';
import { NAVIGATION } from '../navigation.ts';

/** Pages are compiled to Vue, which they find only inside of this package: so they are copied. */
const PAGES = fileURLToPath(new URL('../pages', import.meta.url));
rmSync(PAGES, { recursive: true, force: true });
cpSync(fileURLToPath(new URL('../../docs', import.meta.url)), PAGES, { recursive: true });

/** Folders have a README.md on a code host, and an index page here. */
const toIndex = (path: string): string => path.replace(/README\.md$/, 'index.md');

const OUT_DIR = fileURLToPath(new URL('../../dist/site', import.meta.url));

export default {
  title: 'Mortise',
  description: 'A serverless node autoscaler for Amazon EKS',
  srcDir: 'pages',
  outDir: OUT_DIR,
  cacheDir: 'node_modules/.cache/vitepress',
  base: process.env.SITE_BASE ?? '/',
  rewrites: toIndex,
  themeConfig: {
    search: { provider: 'local' },
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
    const dead = await findDeadAnchors(OUT_DIR);
    if (dead.length > 0) throw new Error(`dead anchors:\n${dead.join('\n')}`);
  },
} satisfies UserConfig<DefaultTheme.Config>;
