import { describe, expect, it } from 'vitest';
import { podTemplateSchema, readPodTemplate } from '../../../shared/api/builtin-resources/pod-template.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aDaemonSet, aPodSpec, aPodTemplate } from '../../support/builders.ts';
import { aCluster, fakeType, requesting, tiny } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const GPU = { deviceClaims: [{ name: 'gpu', template: 'one-gpu' }] };
const settingsWith = (ignoreDraRequests: boolean) => ({ ...DEFAULT_SETTINGS, ignoreDraRequests });

describe('pods with device claims', () => {
  it.each([
    ['a container', { containers: [{ resources: { claims: [{ name: 'gpu' }] } }] }],
    ['an init container', { containers: [{}], initContainers: [{ resources: { claims: [{ name: 'gpu' }] } }] }],
  ])('are recognized by their claims, whether %s uses them', (_, spec) => {
    const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }];
    const written = podTemplateSchema.parse({ spec: { ...spec, resourceClaims } });
    expect(readPodTemplate(written, { value: 0 }).spec.deviceClaims).toEqual(GPU.deviceClaims);
  });

  it.each([
    [true, 'claims devices (gpu): no node is planned for it while IGNORE_DRA_REQUESTS is true'],
    [false, 'claims devices (gpu), but resource.k8s.io is not served, or not to be read'],
  ])('get no node and a reason; ignored: %s', (ignored, sentence) => {
    const cluster = aCluster({ settings: settingsWith(ignored) });
    const { plan, pending } = provision(cluster, tiny('a', GPU), tiny('b'));

    expect(pending).toEqual(['a']);
    expect(plan.claims.flatMap(({ pods }) => pods)).toEqual(['default/b']);
    expect(plan.unplaced[0]?.pools[0]?.reasons.map(formatReason)).toEqual([sentence]);
    expect(plan.unplaced[0]?.fix).toBeUndefined();
  });

  it('keep all preferences, because giving them up would not help', () => {
    const liked = [{ weight: 1, term: [{ key: 'team', operator: 'Exists' as const }] }];
    const { plan } = provision(aCluster(), tiny('a', { ...GPU, preferredNodeTerms: liked }));
    expect(plan.claims).toEqual([]);
  });
});

it.each([
  ['not counted while claims are ignored', true, 1],
  ['counted when they are not', false, 2],
])('count for DaemonSets: one that claims devices is %s', (_, ignored, nodes) => {
  const four = fakeType('four', { cpus: 4, gib: 8, pods: 20 });
  const daemon = aDaemonSet({
    template: aPodTemplate({ spec: aPodSpec({ ...GPU, requests: requesting(1) }) }),
  });
  const cluster = aCluster({
    types: [four],
    daemonSets: [daemon],
    settings: settingsWith(ignored),
  });
  // The plan checker counts every DaemonSet.
  const pods = [tiny('a', { requests: requesting(1.9) }), tiny('b', { requests: requesting(1.9) })];
  const plan = planProvisioning({ ...cluster, pods }, 'd');
  expect(plan.claims).toHaveLength(nodes);
});
