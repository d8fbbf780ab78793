import { describe, expect, it } from 'vitest';
import { createWhatIf } from '../../console/what-if/what-if.ts';
import { aNodePool, aSnapshot, podsOf } from '../support/builders.ts';

const frame = {
  snapshot: aSnapshot({ pools: [aNodePool({ limits: { cpu: 2_000 } })], pods: podsOf(3) }),
  commands: [],
};

const POOL = (cpu: string) => `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  limits: { cpu: "${cpu}" }
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
`;

describe('the answer of What-if', () => {
  it('offers the workloads, zones and NodePools of the snapshot', () => {
    const { workloads, zones, pools } = createWhatIf().options(frame);
    expect(workloads).toEqual([{ namespace: 'default', name: 'web', pods: 3 }]);
    expect(zones).toEqual(['us-east-1a', 'us-east-1b', 'us-east-1c']);
    expect(pools.map(({ name }) => name)).toEqual(['general']);
    expect(pools[0]?.yaml).toContain('cpu: "2"');
  });

  it('shows that a higher limit lets pending pods run, as text for a pull request', async () => {
    const view = await createWhatIf().plan(frame, { yaml: POOL('8') });
    if (view.outcome === 'refused') throw new Error(JSON.stringify(view.faults));
    const pending = view.rows.find(({ label }) => label === 'Pods pending');
    expect(pending?.unchanged).not.toBe('0');
    expect(pending?.changed).toBe('0');
    expect(view.summary).toMatch(/^It costs \$0\.\d\d an hour .* more: \d nodes? instead of 1/);
    expect(view.markdown).toMatch(/^### What if: manifests are applied\n\nIt costs/);
    expect(view.markdown).toContain(`| Pods pending | 3 | ${pending?.unchanged} | 0 |`);
    expect(view.markdown).toContain('```yaml\napiVersion: karpenter.sh/v1');
  });

  it('names the reason of pods that stay pending, and what would help', async () => {
    const view = await createWhatIf().plan(frame, {});
    if (view.outcome === 'refused') throw new Error(JSON.stringify(view.faults));
    const pending = view.parts.find(({ title }) => title === 'Pods left pending');
    expect(pending?.lines.join()).toMatch(/NodePool general: cpu .* of .*Would help: /);
  });

  it('refuses manifests with the line of each fault', async () => {
    const view = await createWhatIf().plan(frame, { yaml: POOL('many') });
    expect(view).toMatchObject({ outcome: 'refused', faults: [{ line: 6 }] });
  });
});
