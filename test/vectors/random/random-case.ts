import { createChoices } from './choices.ts';
import { createDaemonSets, createPools, createRunningNodes, createShortages } from './clusters.ts';
import type { CatalogType } from './nodes.ts';
import { createWorkloads, type WorkloadStyle, type Written } from './workloads.ts';

/** Kinds of random cases; they take turns. */
const TOPICS = ['spread', 'mixed', 'existing', 'scarce', 'limits', 'daemons', 'generic'] as const;
type Topic = (typeof TOPICS)[number];

/** Probabilities of topology rules and of other placement rules. */
const STYLES: Readonly<Record<Topic, Omit<WorkloadStyle, 'tiers'>>> = {
  spread: { topology: 0.8, placement: 0.15 },
  mixed: { topology: 0.25, placement: 0.25 },
  existing: { topology: 0.25, placement: 0.2 },
  scarce: { topology: 0.1, placement: 0.25 },
  limits: { topology: 0.1, placement: 0.2 },
  daemons: { topology: 0.1, placement: 0.15 },
  generic: { topology: 0, placement: 0 },
};

export interface RandomCaseOptions {
  readonly seed: number;
  /** Number of the case among those of the seed. */
  readonly index: number;
  /** Name of the catalogue in the written case. */
  readonly catalog: string;
  readonly types: readonly CatalogType[];
}

/** Creates a situation with 20 to 300 pods, as a case without an answer. */
export function createRandomCase({ seed, index, catalog, types }: RandomCaseOptions): Written {
  const topic = TOPICS[index % TOPICS.length] ?? 'generic';
  const name = `random-${seed}-${`${index}`.padStart(3, '0')}-${topic}`;
  const choices = createChoices(seed, name);
  const nodePools = createPools(choices, topic === 'limits');
  const tiers = nodePools.flatMap(({ metadata }) => listTiers(metadata));
  const pods = createWorkloads(choices, choices.int(20, 300), { ...STYLES[topic], tiers });
  const isRunning = topic === 'existing' || choices.chance(topic === 'generic' ? 0 : 0.3);
  return {
    name,
    topic: `random-${topic}`,
    why: `Random ${topic} workload (seed ${seed}, case ${index}).`,
    options: {},
    catalog,
    nodePools,
    ...(choices.chance(topic === 'daemons' ? 1 : 0.25) && {
      daemonSets: createDaemonSets(choices),
    }),
    ...(topic === 'scarce' && { unavailable: createShortages(choices, types) }),
    ...(isRunning && createRunningNodes(choices, types, pods.length - 1)),
    pods,
  };
}

const POOL_TIERS: Readonly<Record<string, string>> = { steady: 'steady', dedicated: 'batch' };

function listTiers(metadata: unknown): string[] {
  const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : '';
  const tier = POOL_TIERS[`${name}`];
  return tier === undefined ? [] : [tier];
}
