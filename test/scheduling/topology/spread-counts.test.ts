import { describe, expect, it } from 'vitest';
import { ARCH_LABEL } from '../../../shared/model/labels.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import {
  aCluster,
  aPoolRequiring,
  createPods,
  need,
  requesting,
  spreadOver,
  tiny,
  Z1,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerDomain, provision } from '../support/provision.ts';

const KEY = 'fake-label';
const taint = (key: string): Taint => ({ key, value: 'x', effect: 'NoSchedule' });

describe('a spread constraint', () => {
  it('places a pod that it only counts, though no node can have its key', () => {
    const owner = tiny('owner', { topologySpread: [spreadOver('unknown')] });

    expect(provision(aCluster(), owner, tiny('plain')).pending).toEqual(['owner']);
  });

  it("does not count pods on nodes that its own pods' affinity excludes, with Honor", () => {
    const spread = spreadOver(KEY, { nodeTaintsPolicy: 'Honor' });
    const tolerating = (key: string) => ({
      topologySpread: [spread],
      tolerations: [{ key, operator: 'Exists' } as const],
    });
    const one = {
      ...aPoolRequiring(need(KEY, 'In', 'foo', 'bar')),
      name: 'one',
      taints: [taint('one')],
    };
    const other = {
      ...aPoolRequiring(need(KEY, 'In', 'foo', 'baz')),
      name: 'other',
      taints: [taint('other')],
    };
    const outcome = provision(
      aCluster({ pools: [one, other] }),
      ...createPods(2, 'a', tolerating('one')),
      ...createPods(4, 'b', tolerating('other')),
    );

    expect(countPodsPerDomain(outcome, KEY)).toEqual([1, 2, 3]);
  });

  it("does not count pods that its own pods' taints exclude", () => {
    const topologySpread = [spreadOver(ZONE)];
    const arm = { topologySpread, nodeSelector: { [ARCH_LABEL]: 'arm64', [ZONE]: Z1 } };
    const amd = { topologySpread, nodeSelector: { [ARCH_LABEL]: 'amd64' } };
    const outcome = provision(
      aCluster(),
      ...createPods(3, 'a', { ...arm, requests: requesting(2) }),
      ...createPods(3, 'b', { ...amd, requests: requesting(1) }),
    );

    expect(outcome.pending).toEqual([]);
    expect(countPodsPerDomain(outcome)).toEqual([1, 1, 4]);
  });
});
