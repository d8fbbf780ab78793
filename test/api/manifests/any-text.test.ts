import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertManifests } from '../../../shared/api/convert/convert-manifests.ts';
import { manifestsYaml } from '../../../shared/api/convert/converted-text.ts';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import { validateManifests } from '../../../shared/api/validate/validate-manifests.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import { buffer, nodeClaim, overlay } from '../checklist/builders.ts';
import { deployment, documents, job, nodeClass, nodePool } from '../support/read-text.ts';
import { anyStrangeValue, replaced } from '../support/strange-values.ts';

/** A pool, a class and two workloads with most fields set. */
const SOUND = [
  nodeClass({
    kubelet: { maxPods: 10, kubeReserved: { cpu: '1' } },
    blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } }],
  }),
  nodePool(
    { limits: { cpu: '1' }, disruption: { budgets: [{ nodes: '1' }] } },
    {
      requirements: [{ key: 'a', operator: 'In', values: ['b'] }],
      taints: [{ key: 'a', effect: 'NoSchedule' }],
    },
    { labels: { team: 'a' } },
  ),
  deployment({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'a', labelSelector: {}, mismatchLabelKeys: ['constructor'] },
        ],
      },
    },
    containers: [{ resources: { requests: { cpu: '1' } }, ports: [{ hostPort: 1 }] }],
    tolerations: [{ operator: 'Exists' }],
  }),
  job({ completions: 1 }, { annotations: { 'simulation.mortise.sh/run-for': '1m' } }),
];

/** Objects of every version, which validation and conversion read in addition. */
const OF_ALL_VERSIONS = [
  ...SOUND.slice(0, 2),
  nodeClaim({ resources: { requests: { cpu: '1' } } }),
  overlay({ capacity: { 'example.com/x': '1' } }),
  buffer({ scalableRef: { kind: 'Deployment', name: 'web' }, percentage: 10 }),
  {
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Provisioner',
    metadata: { name: 'old', labels: { a: 'b' } },
    spec: {
      labels: { a: 'b' },
      requirements: [{ key: 'a', operator: 'In', values: ['b'] }],
      kubeletConfiguration: { maxPods: 1 },
      limits: { resources: { cpu: 1 } },
      provider: {
        subnetSelector: { a: 'b,c' },
        securityGroupSelector: { 'aws-ids': 'sg-1' },
        amiSelector: { 'aws::name': 'a', 'aws::owners': 'self' },
        blockDeviceMappings: [{ virtualName: 'a' }],
        tags: { a: 'b' },
      },
    },
  },
  {
    apiVersion: 'karpenter.sh/v1beta1',
    kind: 'NodePool',
    metadata: { name: 'beta' },
    spec: {
      disruption: { consolidationPolicy: 'WhenUnderutilized' },
      template: { spec: { nodeClassRef: { name: 'default' }, kubelet: { maxPods: 1 } } },
    },
  },
];

describe('any text', () => {
  it('is read or refused, whatever value a field has', () => {
    const anyPlace = fc.nat({ max: 120 });
    fc.assert(
      fc.property(anyPlace, anyStrangeValue, (location, value) => {
        const text = documents(...SOUND.map((object) => replaced(object, { left: location }, value)));
        const reading = readManifests([{ file: 'test.yaml', text }]);
        expect(['read', 'refused']).toContain(reading.outcome);
      }),
      { numRuns: 300 },
    );
  });

  it('is validated and converted, whatever value a field has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 160 }), anyStrangeValue, (location, value) => {
        const changed = replaced(OF_ALL_VERSIONS, { left: location }, value);
        const objects: readonly unknown[] = Array.isArray(changed) ? changed : [changed];
        const source = { file: 'test.yaml', text: documents(...objects) };
        const gates = { ...DEFAULT_GATES, NodeClassCEL: true };

        const judged = validateManifests([source], { kubernetesMinor: 36, gates });
        const { objects: converted } = convertManifests([source], { ignoreDefaults: false });

        expect(judged.length).toBeGreaterThan(0);
        expect(typeof manifestsYaml(converted)).toBe('string');
      }),
      { numRuns: 300 },
    );
  });

  it('is read or refused, wherever it is cut off', () => {
    const whole = documents(...SOUND);
    fc.assert(
      fc.property(fc.nat({ max: whole.length }), fc.string(), (length, end) => {
        const text = `${whole.slice(0, length)}${end}`;
        const reading = readManifests([{ file: 'test.yaml', text }]);
        expect(['read', 'refused']).toContain(reading.outcome);
      }),
    );
  });

  it('has problems only at existing positions', () => {
    fc.assert(
      fc.property(fc.nat({ max: 120 }), anyStrangeValue, (location, value) => {
        const changed = SOUND.map((object) => replaced(object, { left: location }, value));
        const text = changed.map((object) => JSON.stringify(object, null, 1)).join('\n---\n');
        const reading = readManifests([{ file: 'test.yaml', text }]);
        const problems = reading.outcome === 'refused' ? reading.problems : [];
        const lines = text.split('\n');
        for (const { line, column } of problems) {
          expect(lines[line - 1]?.length ?? 0).toBeGreaterThanOrEqual(column - 1);
        }
      }),
    );
  });

  it('is shown without its control characters', () => {
    const clear = '\u001b[2J';
    const faulty = [
      nodePool({ [clear]: 1, weight: clear, limits: { [clear]: clear } }),
      nodePool({}, { requirements: [{ key: clear, operator: clear, values: [clear] }] }),
      { ...nodePool(), kind: clear, apiVersion: `karpenter.sh/${clear}` },
      deployment({ priorityClassName: clear }),
    ];

    const reading = readManifests([{ file: 'test.yaml', text: documents(...faulty) }]);
    expect(reading.outcome).toBe('refused');
    const reported = reading.outcome === 'refused' ? reading.problems : [];
    for (const problem of reported) expect(Object.values(problem).join('')).not.toContain('\u001b');
  });
});
