import { describe, expect, it } from 'vitest';
import type { ManifestConversion } from '../../../shared/api/convert/convert-manifests.ts';
import { betaClass, betaPool, codesOf, convert, type Fields, provisioner } from './conversions.ts';

describe('kubelet settings', () => {
  const kubeletsOf = ({ objects }: ManifestConversion) =>
    objects
      .filter(({ object }) => object.kind === 'EC2NodeClass')
      .map(({ object }) => [(object.metadata as Fields).name, (object.spec as Fields).kubelet]);

  it('move to the class if all of its pools agree', () => {
    const kubelet = { maxPods: 60 };
    const conversion = convert([
      betaPool({}, { kubelet }),
      provisioner({ kubeletConfiguration: kubelet }),
      betaClass(),
    ]);

    expect(kubeletsOf(conversion)).toEqual([['nodes', kubelet]]);
    expect(codesOf(conversion)).toEqual(['W-10']);
  });

  it('split the class if its pools differ', () => {
    const conversion = convert([
      betaPool({}, { kubelet: { maxPods: 60 } }, 'a'),
      betaPool({}, {}, 'b'),
      betaClass(),
    ]);

    expect(kubeletsOf(conversion)).toEqual([
      ['nodes', { maxPods: 60 }],
      ['nodes-b', undefined],
    ]);
    expect(conversion.objects[1]?.object.spec).toMatchObject({
      template: { spec: { nodeClassRef: { name: 'nodes-b' } } },
    });
    expect(codesOf(conversion)).toEqual(['W-12']);
  });

  it('are printed for copying if the class is absent', () => {
    const { messages } = convert([betaPool({}, { kubelet: { maxPods: 60 } })]);

    expect(messages).toEqual([
      {
        code: 'W-13',
        object: 'NodePool/general',
        path: 'spec.template.spec.kubelet',
        text: 'EC2NodeClass nodes is not in the input; add to its spec: {"kubelet":{"maxPods":60}}',
      },
    ]);
  });

  it('are read from the annotation of a 1.0 cluster', () => {
    const pool = {
      ...betaPool(),
      metadata: {
        name: 'general',
        annotations: {
          'compatibility.karpenter.sh/v1beta1-kubelet-conversion': '{"maxPods":60}',
        },
      },
    };
    const conversion = convert([pool, betaClass()]);

    expect(kubeletsOf(conversion)).toEqual([['nodes', { maxPods: 60 }]]);
    expect(conversion.objects[0]?.object.metadata).toEqual({ name: 'general' });
  });
});
