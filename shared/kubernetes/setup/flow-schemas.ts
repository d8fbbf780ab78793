import { type Manifest, OWNERSHIP_LABELS, WRITING_GROUPS } from './manifest.ts';

interface Flow {
  readonly name: string;
  readonly level: 'workload-high' | 'workload-low';
  /** The matching FlowSchema with the lowest number applies; `service-accounts` has 9000. */
  readonly precedence: number;
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
}

/**
 * The API server sees our functions as IAM users and would put them into `global-default`, together
 * with every kubectl. They get the priority of built-in controllers, except long lists of pods,
 * which would delay those controllers.
 */
export const FLOW_SCHEMAS: readonly Manifest[] = [
  flowSchema({
    name: 'mortise-pod-lists',
    level: 'workload-low',
    precedence: 700,
    verbs: ['list'],
    resources: ['pods'],
  }),
  flowSchema({
    name: 'mortise-controller',
    level: 'workload-high',
    precedence: 710,
    verbs: ['*'],
    resources: ['*'],
  }),
];

function flowSchema({ name, level, precedence, verbs, resources }: Flow): Manifest {
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
          subjects: WRITING_GROUPS.map((name) => ({ kind: 'Group', group: { name } })),
          resourceRules: [
            { verbs, apiGroups: ['*'], resources, clusterScope: true, namespaces: ['*'] },
          ],
        },
      ],
    },
  };
}
