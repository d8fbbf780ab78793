import type { V1FlowSchema } from '@kubernetes/client-node';
import type { Manifest } from '../client/json.ts';
import { DRAIN_GROUP, type FunctionGroup, OWNERSHIP_LABELS, WRITING_GROUPS } from './manifest.ts';

interface Flow {
  readonly name: string;
  readonly level: 'workload-high' | 'workload-low';
  /** The matching FlowSchema with the lowest number applies; `service-accounts` has 9000. */
  readonly precedence: number;
  readonly groups: readonly string[];
  readonly verbs: readonly string[];
}

/** They act on nodes that go, some of them within two minutes, and list a handful of objects. */
const URGENT_GROUPS: readonly FunctionGroup[] = [DRAIN_GROUP, 'mortise:interruption'];

/**
 * The API server sees our functions as IAM users and would put them into `global-default`, together
 * with every kubectl. They get the priority of built-in controllers. Lists of those that read the whole
 * cluster would delay these controllers, so they wait with those of all other tenants. The chart has
 * schemas of its own for the service account of `mortise controller`.
 */
export const FLOW_SCHEMAS: readonly Manifest<V1FlowSchema>[] = [
  flowSchema({
    name: 'mortise-drains',
    level: 'workload-high',
    precedence: 690,
    groups: URGENT_GROUPS,
    verbs: ['*'],
  }),
  flowSchema({
    name: 'mortise-lists',
    level: 'workload-low',
    precedence: 700,
    groups: WRITING_GROUPS,
    verbs: ['list'],
  }),
  flowSchema({
    name: 'mortise-controller',
    level: 'workload-high',
    precedence: 710,
    groups: WRITING_GROUPS,
    verbs: ['*'],
  }),
];

function flowSchema({ name, level, precedence, groups, verbs }: Flow): Manifest<V1FlowSchema> {
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name, labels: OWNERSHIP_LABELS },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: groups.map((group) => ({ kind: 'Group', group: { name: group } })),
          resourceRules: [{ verbs, apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        },
      ],
    },
  };
}
