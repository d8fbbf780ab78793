/** The folders and packages that the files of one folder may import besides one another. */
export interface ImportRule {
  /** Folders or single files. A folder includes its rooms, except those that are closed. */
  readonly folders?: readonly string[];
  /** Package names; `*` at the end matches any rest. */
  readonly packages?: readonly string[];
  /** Only its entry point may be imported, which is listed by its full path. */
  readonly closed?: true;
}

const CORE = ['shared/model', 'shared/api'];

/**
 * Which folder may import what (docs/architecture.md, "Folders"). The longest key that contains a
 * file decides for it. scripts/check-imports.ts holds every import against this table.
 *
 * The decisions (scheduling, disruption, lifecycle) import neither an SDK nor an adapter, so that a
 * decision can be replayed, explained and tested without a cluster.
 */
export const IMPORT_RULES: Readonly<Record<string, ImportRule>> = {
  'shared/model': {},
  'shared/api': {
    folders: ['shared/model'],
    packages: ['zod', 'zod/mini', 'yaml', '@marcbachmann/cel-js', 're2js'],
  },
  'shared/api/reference/generate.ts': { folders: ['shared/api'], packages: ['node:*'] },
  'shared/scheduling': { folders: CORE },
  'shared/disruption': { folders: [...CORE, 'shared/scheduling'] },
  'shared/lifecycle': { folders: CORE },
  'shared/ports': { folders: CORE },
  'shared/controllers': {
    folders: [...CORE, 'shared/scheduling', 'shared/disruption', 'shared/lifecycle', 'shared/ports'],
  },
  'shared/simulation': { folders: [...CORE, 'shared/ports'] },
  'shared/kubernetes': {
    folders: [...CORE, 'shared/ports'],
    packages: ['zod', 'yaml', '@kubernetes/client-node', 'node:*'],
  },
  'shared/aws': {
    folders: [...CORE, 'shared/ports'],
    packages: ['zod', '@aws-sdk/*', '@smithy/*', 'node:*'],
  },
};
