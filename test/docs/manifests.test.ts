import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CUSTOM_KINDS } from '../../shared/api/custom-resources/crds.ts';
import { validateManifests } from '../../shared/api/validate/validate-manifests.ts';
import { DEFAULT_GATES } from '../../shared/model/settings.ts';
import { codeBlocksIn } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GATES = { ...DEFAULT_GATES, NodeOverlay: true, CapacityBuffer: true, StaticCapacity: true };

const below = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));

const PAGES = ['README.md', ...below('docs', /\.md$/)];
const EXAMPLES = below('examples', /\.ya?ml$/);

/** Lists the YAML blocks that name a kind. */
const manifestsIn = (markdown: string): readonly string[] =>
  codeBlocksIn(markdown).flatMap(({ language, text }) =>
    /^ya?ml$/.test(language) && /^ *apiVersion:/m.test(text) ? [text] : [],
  );

const faultsOf = (file: string, texts: readonly string[]): readonly string[] =>
  validateManifests(
    texts.map((text) => ({ file, text })),
    { kubernetesMinor: 36, gates: GATES },
  ).flatMap(({ kind = '', problems }) =>
    problems.map(({ path, line, why }) => `${file}:${line} ${kind} ${path}: ${why}`),
  );

describe('the documented manifests', () => {
  it.each(PAGES.filter((page) => manifestsIn(readFileSync(join(ROOT, page), 'utf8')).length > 0))(
    'in %s are accepted without a warning',
    (page) => {
      const blocks = manifestsIn(readFileSync(join(ROOT, page), 'utf8'));
      const ours = blocks.filter((text) => CUSTOM_KINDS.some(({ group }) => text.includes(group)));

      expect(faultsOf(page, ours)).toEqual([]);
    },
  );

  it.each(EXAMPLES)('in %s are accepted without a warning', (file) => {
    expect(faultsOf(file, [readFileSync(join(ROOT, file), 'utf8')])).toEqual([]);
  });
});
