import { CONTROLLER_GROUP, type Manifest, OWNERSHIP_LABELS } from './manifest.ts';

interface Flow {
  readonly name: string;
  readonly level: 'workload-high' | 'workload-low';
  /** The lowest number that matches wins; `service-accounts` has 9000. */
  readonly precedence: number;
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
}

/**
 * Our functions are IAM users to the API server, and would wait in `global-default` together with
 * everybody's kubectl. They go where built-in controllers go; lists of pods, which are long, do not
 * stand in those controllers' way.
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
          subjects: [{ kind: 'Group', group: { name: CONTROLLER_GROUP } }],
          resourceRules: [
            { verbs, apiGroups: ['*'], resources, clusterScope: true, namespaces: ['*'] },
          ],
        },
      ],
    },
  };
}
