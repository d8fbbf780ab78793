import { describe, expect, it } from 'vitest';
import { findForbiddenImports, listImports } from '../../scripts/check-imports.ts';
import type { ImportRule } from '../../scripts/import-rules.ts';

const RULES: Readonly<Record<string, ImportRule>> = {
  'shared/model': {},
  'shared/core': { folders: ['shared/model'], packages: ['zod', '@sdk/*'] },
  'shared/core/inner': { folders: ['shared/model'], closed: true },
  'shared/core/outer': { folders: ['shared/core', 'shared/core/inner/entry.ts'] },
  shared: {},
};

const forbidden = (path: string, text: string): readonly string[] =>
  findForbiddenImports({ path, text }, RULES).map(({ imported }) => imported);

describe('the import check', () => {
  it.each([
    ['a folder of the rule', 'shared/core/a.ts', "import { x } from '../model/x.ts';"],
    ['its own folder', 'shared/core/a.ts', "import { x } from './rooms/x.ts';"],
    ['a package of the rule', 'shared/core/a.ts', "import * as z from 'zod';"],
    ['a package by its scope', 'shared/core/a.ts', "import type { C } from '@sdk/client';"],
    ['the entry of a closed folder', 'shared/core/outer/a.ts', "import '../inner/entry.ts';"],
  ])('allows %s', (_, path, text) => {
    expect(forbidden(path, text)).toEqual([]);
  });

  it.each([
    ['another folder', 'shared/model/a.ts', "import { x } from '../core/x.ts';"],
    ['another folder by its types', 'shared/model/a.ts', "import type { X } from '../core/x.ts';"],
    ['another folder at run time', 'shared/model/a.ts', "await import('../core/x.ts');"],
    ['a package', 'shared/model/a.ts', "import * as z from 'zod';"],
    ['an inner file of a closed folder', 'shared/core/outer/a.ts', "import '../inner/x.ts';"],
  ])('forbids %s', (_, path, text) => {
    expect(forbidden(path, text)).toHaveLength(1);
  });

  it('reports a file in a folder without a rule', () => {
    expect(forbidden('other/a.ts', '')).toEqual(['no rule for this folder']);
  });

  it('does not take texts and comments for imports', () => {
    const text = "const a = \"from 'x'\"; // import 'y'\nimport b from 'z';";

    expect(listImports({ path: 'a.ts', text })).toEqual([{ specifier: 'z', line: 2 }]);
  });
});
