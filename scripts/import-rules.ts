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
const DECISIONS = ['shared/scheduling', 'shared/disruption', 'shared/lifecycle'];
const AWS_SDK = ['@aws-sdk/*', '@smithy/*'];

/**
 * The layers of the scheduling pipeline, lowest first; folders of one layer may import one another.
 * Imports go downwards only (shared/scheduling/plan-provisioning.ts).
 */
const SCHEDULING_LAYERS: readonly (readonly string[])[] = [
  ['data-structures'],
  ['pods'],
  ['instance-types'],
  ['input'],
  ['topology', 'devices'],
  ['assignment'],
  ['packing'],
  ['claims'],
  ['karpenter-price'],
  ['binding-simulation'],
  ['search'],
  ['explanation'],
];

const SCHEDULING_FOLDERS = SCHEDULING_LAYERS.flat().map((name) => `shared/scheduling/${name}`);

/** The entry points of scheduling for disruption, and the types in their signatures. */
const SCHEDULING_API = [
  'shared/scheduling/removal',
  'shared/scheduling/open-launches.ts',
  'shared/scheduling/static-claims.ts',
  'shared/scheduling/input/problem.ts',
  'shared/scheduling/input/existing-nodes.ts',
  'shared/scheduling/input/pool-growth.ts',
  'shared/scheduling/instance-types/daemon-overhead.ts',
  'shared/scheduling/packing/new-nodes/cheaper-node.ts',
];

const BINDING_SIMULATION = 'shared/scheduling/binding-simulation';
const ENTRIES = ['repair-plan.ts', 'simulate-orders.ts'].map((file) => `${BINDING_SIMULATION}/${file}`);

function schedulingRules(): Readonly<Record<string, ImportRule>> {
  const rules: Record<string, ImportRule> = {};
  const lower: string[] = [...CORE];
  for (const layer of SCHEDULING_LAYERS) {
    const layerFolders = layer.map((name) => `shared/scheduling/${name}`);
    for (const folder of layerFolders) rules[folder] = { folders: [...lower, ...layerFolders] };
    // The binding simulation is a closed library: other layers import its entry points only.
    lower.push(...layerFolders.flatMap((folder) => (folder === BINDING_SIMULATION ? ENTRIES : folder)));
  }
  rules[BINDING_SIMULATION] = { ...rules[BINDING_SIMULATION], closed: true };
  return rules;
}

/** Functions share `functions/support` and never import one another. */
const FUNCTIONS = [
  'support',
  'catalog-refresh',
  'cluster-setup',
  'deploy-check',
  'disruption',
  'event-intake',
  'interruption',
  'node-class',
  'node-lifecycle',
  'poll',
  'provisioning',
  'sweep',
  'webhook-control',
] as const;

const FUNCTION_RULE: ImportRule = {
  folders: ['shared', 'functions/support', 'package.json'],
  packages: ['@middy/core', '@aws-lambda-powertools/*', 'aws-lambda', 'zod', 'zod/mini', ...AWS_SDK, 'node:*'],
};

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
  'shared/settings': { folders: ['shared/model', 'shared/api/committed-capacity.ts', 'shared/api/default-spread.ts'] },
  'shared/ports': { folders: CORE },

  ...schedulingRules(),
  'shared/scheduling': { folders: [...CORE, ...SCHEDULING_FOLDERS, ...ENTRIES] },
  'shared/disruption': { folders: [...CORE, ...SCHEDULING_API] },
  'shared/lifecycle': { folders: CORE },
  'shared/ec2': { folders: CORE, packages: ['zod', 'yaml', 'smol-toml', 'node:zlib', 'node:fs'] },
  'shared/controllers': { folders: [...CORE, ...DECISIONS, 'shared/ec2', 'shared/ports'] },

  'shared/memory': { folders: [...CORE, 'shared/ports'] },
  // Closed: the functions and the controllers never import the simulation.
  'shared/simulation': { folders: [...CORE, 'shared/ports', 'shared/memory'], closed: true },
  'shared/kubernetes': {
    folders: [...CORE, 'shared/ports'],
    // Types only, of `@kubernetes/client-node` (test/functions/bundles.test.ts).
    packages: ['zod', 'yaml', '@smithy/*', 'node:*', '@kubernetes/client-node'],
  },
  // Explains decisions by making them again; it imports their entry points and no adapter.
  'shared/explain': {
    folders: [
      ...CORE,
      'shared/ports',
      'shared/scheduling/plan-provisioning.ts',
      'shared/scheduling/input/plan-batch.ts',
      'shared/scheduling/input/problem.ts',
      'shared/scheduling/explanation/added-kinds.ts',
      'shared/scheduling/explanation/fix-proposal.ts',
      'shared/scheduling/explanation/widen-requirement.ts',
      'shared/lifecycle/claim-timeline.ts',
      'shared/lifecycle/termination/blocked-drain.ts',
      'shared/disruption/budgets.ts',
      'shared/disruption/repair/repair-policies.ts',
      'shared/disruption/drift/daemon-shortage.ts',
      'shared/disruption/rollout/rollout-progress.ts',
      'shared/controllers/disruption/decide-disruption.ts',
      'shared/controllers/provisioning/decide-provisioning.ts',
    ],
  },
  // Changes a snapshot and decides on it again, until nothing changes any more.
  'shared/what-if': {
    folders: [
      ...CORE,
      'shared/ports',
      'shared/scheduling/plan-provisioning.ts',
      'shared/scheduling/explanation/cluster-after-plan.ts',
      'shared/scheduling/packing/bounds/fleet-bound.ts',
      'shared/disruption/validation-delay.ts',
      'shared/explain/explanation.ts',
      'shared/explain/patches.ts',
      'shared/disruption/drift/mark-drift.ts',
      'shared/controllers/disruption/decide-disruption.ts',
      'shared/controllers/provisioning/decide-provisioning.ts',
    ],
  },
  'shared/model-schema': { folders: ['shared/model'], packages: ['zod'] },
  'shared/record': {
    folders: ['shared/model', 'shared/model-schema', 'shared/ports'],
    packages: ['zod', 'node:*'],
  },
  'shared/aws': {
    folders: [...CORE, 'shared/ports', 'shared/ec2', 'shared/memory', 'shared/model-schema', 'shared/record'],
    packages: ['zod', 'zod/mini', ...AWS_SDK, 'node:*'],
  },
  'shared/composition': {
    folders: [
      ...CORE,
      'shared/aws',
      'shared/kubernetes',
      'shared/controllers',
      'shared/ports',
      'shared/record',
      'shared/memory',
      'shared/ec2',
    ],
    packages: AWS_SDK,
  },

  ...Object.fromEntries(FUNCTIONS.map((name) => [`functions/${name}`, FUNCTION_RULE])),
  infra: {
    folders: [
      'infra/function-code.ts',
      'shared/settings',
      'shared/model/nearest-word.ts',
      'shared/aws/dynamodb/table/shared-partition-key.ts',
      'shared/model/metrics/alarm-metrics.ts',
      'shared/model/published-events/kinds.ts',
      'shared/ports/hint-senders.ts',
      'shared/ports/work-queue.ts',
    ],
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'cdk-nag', 'yaml', 'node:crypto'],
  },
  // Only these two read files. The npm package has another `function-code.ts`, and the bundles.
  'infra/function-code.ts': {
    folders: ['infra'],
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'node:*'],
  },
  'infra/bundling': { packages: ['esbuild', 'node:*'] },

  cli: {
    folders: [
      ...['shared', 'shared/simulation', 'console', 'package.json'],
      // Pure: names and choices of the stack.
      ...['infra/stack-name.ts', 'infra/options/event-sources.ts'],
    ],
    packages: ['*'],
  },
  console: {
    folders: ['shared'],
    packages: ['@hono/node-server', '@hono/node-server/*', 'esbuild', 'hono', 'hono/*', 'zod', 'node:*'],
  },
  'console/page': {
    folders: [
      'console/screen-views.ts',
      'console/timeline-views.ts',
      'console/views.ts',
      'console/views',
      'console/format.ts',
      'console/cost.ts',
      'console/marked-events.ts',
      'shared/model',
    ],
    packages: [
      'react',
      'react-dom',
      'react-dom/*',
      'react-aria',
      'react-aria-components',
      'uplot',
      'uplot/*',
      '@fontsource*',
    ],
  },
  '.github': { folders: ['cli/documents/validation.ts'], packages: ['zod', 'node:*'] },
  scripts: {
    folders: [
      'infra/options',
      'packaging/controller-kit.ts',
      'shared/api',
      'shared/ec2',
      'shared/settings',
      'shared/model/explanations/event-reasons.ts',
      'shared/model',
      'package.json',
    ],
    packages: ['*'],
  },
  site: { packages: ['minisearch', 'vitepress', 'node:*'] },
  packaging: {
    folders: [
      'cli/build-info.ts',
      'console/build.ts',
      'infra/bundling/bundle-functions.ts',
      'infra/add-stack.ts',
      'infra/rights/controller-policy.ts',
      'scripts/changelog.ts',
      'shared/settings/all-settings.ts',
      'shared/kubernetes/setup/manifest.ts',
      'shared/kubernetes/setup/rbac.ts',
    ],
    packages: ['esbuild', 'zod', 'aws-cdk-lib', 'aws-cdk-lib/*', 'node:*'],
  },
  test: {
    folders: [
      'shared',
      'shared/simulation',
      BINDING_SIMULATION,
      'functions',
      'infra',
      'cli',
      'console',
      'packaging',
      'scripts',
      'site',
      'package.json',
    ],
    packages: ['*'],
  },
};
