import { describe, expect, it } from 'vitest';
import { ARCH_LABEL } from '../../../shared/model/labels.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import {
  aCluster,
  asking,
  need,
  poolOf,
  several,
  spreadOver,
  tiny,
  Z1,
  ZONE,
} from '../support/fixture.ts';
import { provision, skew } from '../support/provision.ts';

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
    const one = { ...poolOf(need(KEY, 'In', 'foo', 'bar')), name: 'one', taints: [taint('one')] };
    const other = {
      ...poolOf(need(KEY, 'In', 'foo', 'baz')),
      name: 'other',
      taints: [taint('other')],
    };
    const outcome = provision(
      aCluster({ pools: [one, other] }),
      ...several(2, 'a', tolerating('one')),
      ...several(4, 'b', tolerating('other')),
    );

    expect(skew(outcome, KEY)).toEqual([1, 2, 3]);
  });

  it("does not count pods that its own pods' taints exclude", () => {
    const topologySpread = [spreadOver(ZONE)];
    const arm = { topologySpread, nodeSelector: { [ARCH_LABEL]: 'arm64', [ZONE]: Z1 } };
    const amd = { topologySpread, nodeSelector: { [ARCH_LABEL]: 'amd64' } };
    const outcome = provision(
      aCluster(),
      ...several(3, 'a', { ...arm, requests: asking(2) }),
      ...several(3, 'b', { ...amd, requests: asking(1) }),
    );

    expect(outcome.pending).toEqual([]);
    expect(skew(outcome)).toEqual([1, 1, 4]);
  });
});
