import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch, { type SearchOptions } from 'minisearch';

/** As VitePress indexes a section: its heading, and the headings above it. */
interface Section {
  readonly title: string;
  readonly titles: readonly string[];
}

/**
 * Ranks what a user of Mortise looks for before what explains its inside. VitePress writes the text of
 * `boostDocument` into each page, so that the function may use nothing but its parameters.
 */
export const SEARCH_OPTIONS: SearchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 6, text: 1, titles: 2 },
  boostDocument(id, _term, section) {
    const path = String(id);
    const isPage = Array.isArray(section?.titles) && section.titles.length === 0;
    const ofPage = isPage ? 2 : 1;
    if (/^[^#]*\/(?:decisions\/|benchmarks|reliability|karpenter-suites)/.test(path)) return 0.05;
    if (/^[^#]*\/(?:threat-model|architecture|glossary|#)/.test(path)) return 0.1;
    // Long tables: a word counts less there than in a short text.
    if (/^[^#]*\/reference\/(?:keys|nodepool|ec2nodeclass)/.test(path)) return 5 * ofPage;
    if (/^[^#]*\/(?:guides\/|migrate\/|troubleshooting|cost)/.test(path)) return 1.5 * ofPage;
    return ofPage;
  },
  // Words of every page say nothing about one.
  processTerm: (term) =>
    /^(?:an?|and|are|do|does|for|how|i|in|is|my|not|of|or|the|to|what|why|with)$/i.test(term)
      ? null
      : term.toLowerCase(),
};

/** Ten questions of users, each with the pages of which the first result must be one. */
export const QUERIES: readonly (readonly [query: string, pages: readonly string[]])[] = [
  ['limit', ['reference/nodepool', 'reference/stack-options', 'guides/multi-team']],
  ['karpenter', ['migrate/from-karpenter']],
  ['cost', ['cost', 'guides/cost-allocation']],
  ['do-not-disrupt', ['reference/keys']],
  ['pod pending', ['troubleshooting', 'explain']],
  ['spot', ['guides/spot']],
  ['gpu', ['guides/gpus']],
  ['private cluster', ['guides/private-clusters']],
  ['budget', ['reference/nodepool', 'guides/hours']],
  ['remove mortise', ['operations', 'guides/getting-started']],
];

const INNER = /^(?:decisions\/|benchmarks|reliability|karpenter-suites|threat-model)/;
const FIRST = 5;

/**
 * Searches in the index of the built site as its pages do, and lists the queries whose first result is a
 * wrong page, or whose first five contain pages about the inside.
 *
 * @param folder - the built site
 * @param base - the path of the site on its host
 */
export async function findWrongResults(folder: string, base: string): Promise<readonly string[]> {
  const chunks = join(folder, 'assets/chunks');
  const file = (await readdir(chunks)).find((name) => name.startsWith('@localSearchIndexroot.'));
  if (file === undefined) throw new Error(`no search index in ${chunks}`);
  const chunk: { readonly default: string } = await import(pathToFileURL(join(chunks, file)).href);
  const index = MiniSearch.loadJSON<Section>(chunk.default, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: SEARCH_OPTIONS,
  });
  return QUERIES.flatMap(([query, pages]) => {
    const results = index.search(query).slice(0, FIRST);
    const paths = results.map(({ id }) => `${id}`.slice(base.length).replace(/(?:\.html)?#.*$/, ''));
    const inner = paths.filter((path) => INNER.test(path));
    const isRight = pages.includes(paths[0] ?? 'no result') && inner.length === 0;
    return isRight ? [] : [`"${query}" finds ${paths.join(', ')}; first should be ${pages.join(' or ')}`];
  });
}
