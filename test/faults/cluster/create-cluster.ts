import {
  CAPACITY_TYPE_LABEL,
  DO_NOT_DISRUPT_ANNOTATION,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  ZONE_LABEL,
} from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Storage } from '../../../shared/model/pods/storage.ts';
import type { Workload } from '../../../shared/model/pods/workload.ts';
import type { RequirementSpec } from '../../../shared/model/requirements/requirement-specs.ts';
import { createOpenWorld, type OpenWorld } from '../../../shared/simulation/create-world.ts';
import { aCatalogue, NO_RANDOM_EVENTS } from '../../simulation/support.ts';
import {
  aDaemonSet,
  aDeployment,
  aNodePool,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSelector,
  aStatefulSet,
  NOON,
  resources,
  ZONES,
} from '../../support/builders.ts';
import { aBoundClaim, aStorage, aVolume, inZones } from '../../support/storage.ts';
import type { History, Part, PoolPart, WorkloadPart } from '../model/history.ts';

type PartOf<K extends Part['kind']> = Extract<Part, { kind: K }>;

export const listParts = <K extends Part['kind']>(
  { parts }: Pick<History, 'parts'>,
  kind: K,
): readonly PartOf<K>[] => parts.filter((part): part is PartOf<K> => part.kind === kind);

/** The pool of a history that names none. */
const DEFAULT_POOL: PoolPart = {
  kind: 'pool',
  name: 'general',
  weight: 0,
  isSpot: false,
  budget: 1,
  consolidateAfterMs: 0,
};

/** The one instance type of a history with a price cap, so that each planned price is exact. */
const CAPPED_TYPE = 'm7i.2xlarge';

/** Creates the cluster of a history, with users' objects and without any node. */
export function createCluster(history: History): OpenWorld {
  const pools = listPools(history);
  const hasCaps = listParts(history, 'launch-caps').length > 0;
  const workloads = listParts(history, 'workload');
  const storage = createStorage(workloads);
  return createOpenWorld({
    seed: history.seed,
    startAt: NOON,
    catalogue: aCatalogue(),
    manifests: {
      pools: pools.map((part) => toNodePool(part, hasCaps)),
      nodeClasses: [],
      workloads: [...workloads.map(toWorkload), aDaemonSet()],
      pods: [],
      podDisruptionBudgets: workloads.flatMap(({ name, maxUnavailable }) =>
        maxUnavailable === undefined
          ? []
          : [
              aPodDisruptionBudget({
                name,
                selector: aSelector({ app: name }),
                maxUnavailable: `${maxUnavailable}`,
              }),
            ],
      ),
      ...(storage && { storage }),
      skipped: [],
    },
    options: { ...NO_RANDOM_EVENTS, hooks: listParts(history, 'no-webhooks').length === 0 },
  });
}

export const listPools = (history: History): readonly PoolPart[] => {
  const pools = listParts(history, 'pool');
  return pools.some(({ replicas }) => replicas === undefined) ? pools : [DEFAULT_POOL, ...pools];
};

function toNodePool(part: PoolPart, hasCaps: boolean): NodePool {
  const { name, weight, isSpot, budget, consolidateAfterMs, hasStartupTaint } = part;
  const { expireAfterMs, terminationGracePeriodMs, replicas } = part;
  const values = isSpot && !hasCaps ? ['spot', 'on-demand'] : ['on-demand'];
  const requirements: readonly RequirementSpec[] = [
    { key: CAPACITY_TYPE_LABEL, operator: 'In', values },
    ...(hasCaps
      ? [{ key: INSTANCE_TYPE_LABEL, operator: 'In' as const, values: [CAPPED_TYPE] }]
      : []),
  ];
  return aNodePool({
    name,
    weight,
    requirements,
    disruption: {
      consolidateAfterMs,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: `${budget}` }],
    },
    ...(expireAfterMs !== undefined && { expireAfterMs }),
    ...(terminationGracePeriodMs !== undefined && { terminationGracePeriodMs }),
    ...(replicas !== undefined && { replicas }),
    ...(hasStartupTaint && {
      startupTaints: [{ key: 'network.example.com/agent-not-ready', effect: 'NoSchedule' }],
    }),
  });
}

function toWorkload(part: WorkloadPart): Workload {
  const { name, replicas, cpu, spread, gracePeriodMs, isProtected } = part;
  const template = aPodTemplate({
    labels: { app: name },
    annotations: isProtected ? { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } : {},
    spec: aPodSpec({
      requests: resources(cpu, 2 * cpu, { pods: 1 }),
      terminationGracePeriodMs: gracePeriodMs,
      volumeClaims: part.hasVolumes ? [`data-${name}`] : [],
      topologySpread:
        spread && !part.hasVolumes
          ? [
              {
                key: spread === 'zone' ? ZONE_LABEL : HOSTNAME_LABEL,
                maxSkew: 1,
                whenUnsatisfiable: 'DoNotSchedule',
                selector: aSelector({ app: name }),
                matchLabelKeys: [],
                nodeAffinityPolicy: 'Honor',
                nodeTaintsPolicy: 'Honor',
              },
            ]
          : [],
    }),
  });
  const common = { name, replicas, template };
  return part.isStateful ? aStatefulSet(common) : aDeployment(common);
}

/** One volume for all pods of a workload, in one zone. */
function createStorage(workloads: readonly WorkloadPart[]): Storage | undefined {
  const owners = workloads.filter(({ hasVolumes }) => hasVolumes);
  if (owners.length === 0) return undefined;
  return aStorage({
    claims: owners.map(({ name }) => aBoundClaim(`data-${name}`, `volume-${name}`)),
    volumes: owners.map(({ name }, index) =>
      aVolume(`volume-${name}`, { nodeTerms: [inZones(ZONES[index % ZONES.length] ?? ZONES[0])] }),
    ),
  });
}
