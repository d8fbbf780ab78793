import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CUSTOM_KINDS } from '../../shared/api/custom-resources/crds.ts';
import { validateManifests } from '../../shared/api/validate/validate-manifests.ts';
import { DEFAULT_GATES } from '../../shared/model/settings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GATES = { ...DEFAULT_GATES, NodeOverlay: true, CapacityBuffer: true, StaticCapacity: true };

const below = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));

const PAGES = ['README.md', ...below('docs', /\.md$/)];
const EXAMPLES = below('examples', /\.ya?ml$/);

/** Lists the YAML blocks that name a kind, without their indentation in a list. */
const manifestsIn = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^( *)```ya?ml\n([\s\S]*?)^ *```/gm)].flatMap(
    ([, indent = '', block = '']) =>
      /^ *apiVersion:/m.test(block) ? [block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] : [],
  );

const faultsOf = (file: string, text: string): readonly string[] =>
  validateManifests([{ file, text }], { kubernetesMinor: 36, gates: GATES }).flatMap(
    ({ kind = '', problems }) =>
      problems.map(({ path, line, why }) => `${file}:${line} ${kind} ${path}: ${why}`),
  );

describe('the documented manifests', () => {
  it.each(PAGES.filter((page) => manifestsIn(readFileSync(join(ROOT, page), 'utf8')).length > 0))(
    'in %s are accepted without a warning',
    (page) => {
      const blocks = manifestsIn(readFileSync(join(ROOT, page), 'utf8'));
      const ours = blocks.filter((text) => CUSTOM_KINDS.some(({ group }) => text.includes(group)));

      expect(ours.flatMap((text) => faultsOf(page, text))).toEqual([]);
    },
  );

  it.each(EXAMPLES)('in %s are accepted without a warning', (file) => {
    expect(faultsOf(file, readFileSync(join(ROOT, file), 'utf8'))).toEqual([]);
  });
});
