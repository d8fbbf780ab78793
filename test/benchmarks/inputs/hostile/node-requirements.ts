import type { ClusterSnapshot } from '../../../../shared/model/cluster-snapshot.ts';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../../../shared/model/labels.ts';
import type { NodeSelectorTerm, Weighted } from '../../../../shared/model/pods/pod.ts';
import type { RequirementSpec } from '../../../../shared/model/requirements/requirement-specs.ts';
import { resources } from '../../../support/builders.ts';
import { ALL_EC2_TYPES, aTypicalPool } from '../ec2-snapshot.ts';
import { createHostilePods, createHostileSnapshot, type HostileInput, range } from './hostile-pods.ts';

const CPU_LABEL = 'karpenter.k8s.aws/instance-cpu';

/** Some instance types: others for each number. */
const listTypeNames = (id: number): readonly string[] =>
  [1, 7, 13, 29, 61].map((step) => ALL_EC2_TYPES[(id * step) % ALL_EC2_TYPES.length]?.name ?? '');

/** Terms that are all different; most of them allow some types. */
const createTerms = (count: number, offset = 0): readonly NodeSelectorTerm[] =>
  Array.from({ length: count }, (_, index): NodeSelectorTerm => {
    const id = `${offset + index}`;
    if (index % 3 === 0) return [{ key: INSTANCE_TYPE_LABEL, operator: 'In', values: listTypeNames(offset + index) }];
    if (index % 3 === 1)
      return [
        { key: ZONE_LABEL, operator: 'In', values: ['us-east-1a'] },
        { key: CPU_LABEL, operator: 'Lt', values: [`${8 + Number(id)}`] },
      ];
    return [{ key: 'example.com/team', operator: 'In', values: [`team-${id}`] }];
  });

const withTerms =
  (pods: number, terms: number): (() => ClusterSnapshot) =>
  () =>
    createHostileSnapshot(
      createHostilePods(pods, (index) => ({
        requiredNodeTerms: createTerms(terms, index * terms),
      })),
    );

const createPreferences = (count: number, pod: number): readonly Weighted<NodeSelectorTerm>[] =>
  range(count, (index) => ({
    weight: 1 + (index % 100),
    term: [{ key: CPU_LABEL, operator: 'Gt', values: [`${index + pod}`] }],
  }));

const createValues = (pod: number): readonly RequirementSpec[] => [
  { key: INSTANCE_TYPE_LABEL, operator: 'NotIn', values: range(10_000, (id) => `${pod}-${id}`) },
  { key: `example.com/a`, operator: 'NotIn', values: range(10_000, (id) => `${pod}-${id}`) },
];

const createBounds = (pod: number): readonly RequirementSpec[] =>
  range(
    1_000,
    (id): RequirementSpec => ({
      key: CPU_LABEL,
      operator: id % 2 === 0 ? 'Gt' : 'Lt',
      values: [`${id % 2 === 0 ? 0 : 1_000 + id + pod}`],
    }),
  );

/** Pods with more node requirements, preferences, tolerations or values than real workloads have. */
export const NODE_REQUIREMENT_INPUTS: readonly HostileInput[] = [
  { name: 'terms-1x3500', snapshot: withTerms(1, 3_500) },
  { name: 'terms-6x3500', snapshot: withTerms(6, 3_500) },
  { name: 'terms-20x200', snapshot: withTerms(20, 200) },
  {
    name: 'terms-limit-6x3500',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(6, (index) => ({
          requests: resources(16, 16, { pods: 1 }),
          requiredNodeTerms: createTerms(3_500, index * 3_500),
        })),
        { pools: [aTypicalPool({ limits: { cpu: 60_000 } })] },
      ),
  },
  {
    name: 'terms-too-large-6x3500',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(6, (index) => ({
          requests: resources(10_000, 16, { pods: 1 }),
          requiredNodeTerms: createTerms(3_500, index * 3_500),
        })),
      ),
  },
  {
    name: 'preferences-100x100',
    snapshot: () =>
      createHostileSnapshot(createHostilePods(100, (pod) => ({ preferredNodeTerms: createPreferences(100, pod) }))),
  },
  {
    name: 'values-50x20000',
    snapshot: () => createHostileSnapshot(createHostilePods(50, (pod) => ({ requiredNodeTerms: [createValues(pod)] }))),
  },
  {
    name: 'bounds-50x1000',
    snapshot: () => createHostileSnapshot(createHostilePods(50, (pod) => ({ requiredNodeTerms: [createBounds(pod)] }))),
  },
  {
    name: 'tolerations-1000x500',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(1_000, (pod) => ({
          tolerations: range(500, (id) => ({
            key: `example.com/${pod}-${id}`,
            operator: 'Exists' as const,
          })),
        })),
        {
          pools: range(5, (id) =>
            aTypicalPool({
              name: `general-${id}`,
              taints: id === 0 ? [] : [{ key: `team-${id}`, value: 'yes', effect: 'NoSchedule' as const }],
            }),
          ),
        },
      ),
  },
  {
    name: 'min-values-1000-classes',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(1_000, (pod) => ({
          requests: resources(0.1 + pod / 1_000, 1, { pods: 1 }),
          requiredNodeTerms: [[{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand', `${pod}`] }]],
        })),
        {
          pools: [
            aTypicalPool({
              requirements: [
                ...aTypicalPool().requirements,
                { key: INSTANCE_TYPE_LABEL, operator: 'Exists', minValues: 50 },
                {
                  key: 'karpenter.k8s.aws/instance-family',
                  operator: 'Exists',
                  minValues: 20,
                },
              ],
            }),
          ],
        },
      ),
  },
];
