import type { BrokenCluster } from './broken-cluster.ts';
import { listRequirements, withNodeSpec, withPodSpec, withPoolSpec } from './edits.ts';
import { asList, asObject, getIn } from './json.ts';
import { ZONES } from './working-cluster.ts';

/**
 * Searches the changes of one field by brute force, in what the user wrote: each rule of the pod, the NodePool and
 * the class is taken away, one at a time. What the pods request stays: with less they are other pods.
 *
 * @returns what was changed; undefined if nothing helps
 */
export const findSingleChange = (
  cluster: BrokenCluster,
  runs: (changed: BrokenCluster) => boolean,
): string | undefined => listSingleChanges(cluster).find(([, changed]) => runs(changed))?.[0];

type NamedChange = readonly [name: string, changed: BrokenCluster];

function listSingleChanges(cluster: BrokenCluster): readonly NamedChange[] {
  const { template, pool, nodeClass } = cluster;
  const requirements = listRequirements(cluster);
  const limits = asObject(getIn(pool, 'spec', 'limits'));
  const taints = asList(getIn(pool, 'spec', 'template', 'spec', 'taints')).map(asObject);
  const tolerations = asList(getIn(template, 'spec', 'tolerations')).map(asObject);
  const selected = asObject(getIn(template, 'spec', 'nodeSelector'));
  const rules = [...Object.keys(asObject(getIn(template, 'spec', 'affinity')))];
  const { notReady: _, maxPods: __, ...ready } = nodeClass;
  const { hours: ___, ...always } = cluster;
  return [
    ...requirements.map(
      ({ key }, index): NamedChange => [
        `drop requirement ${key}`,
        withNodeSpec(cluster, { requirements: requirements.toSpliced(index, 1) }),
      ],
    ),
    ...Object.keys(limits).map(
      (resource): NamedChange => [`drop limit ${resource}`, withPoolSpec(cluster, { limits: { [resource]: null } })],
    ),
    ...taints.map(
      ({ key = '' }): NamedChange => [
        `tolerate ${key}`,
        withPodSpec(cluster, { tolerations: [...tolerations, { key, operator: 'Exists' }] }),
      ],
    ),
    ...Object.keys(selected).flatMap((key): NamedChange[] => [
      [`drop selector ${key}`, withPodSpec(cluster, { nodeSelector: { [key]: null } })],
      [
        `add label ${key}`,
        withPoolSpec(cluster, { template: { metadata: { labels: { [key]: selected[key] ?? '' } } } }),
      ],
    ]),
    ...rules.map((rule): NamedChange => [`drop ${rule}`, withPodSpec(cluster, { affinity: { [rule]: null } })]),
    ['drop spreads', withPodSpec(cluster, { topologySpreadConstraints: null })],
    ['drop volumes', withPodSpec(cluster, { volumes: null })],
    ['mend the class', { ...cluster, nodeClass: { ...ready, zones: ZONES } }],
    ['drop hours', always],
    ['drop replicas', withPoolSpec(cluster, { replicas: null })],
    ['no shortage', { ...cluster, unavailable: [] }],
    ['no DaemonSets', { ...cluster, daemonSets: [] }],
    ...(nodeClass.maxPods === undefined
      ? []
      : [['more pods', { ...cluster, nodeClass: { ...nodeClass, maxPods: 110 } }] as const]),
    ['larger disk', { ...cluster, nodeClass: { ...nodeClass, diskGib: 1000 } }],
  ];
}
