import { describe, expect, it } from 'vitest';
import type { ManifestConversion } from '../../../shared/api/convert/convert-manifests.ts';
import { KUBELET_ANNOTATION } from '../../../shared/api/keys/annotations.ts';
import { nodeClass, nodePool } from '../support/read-text.ts';
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
    const conversion = convert([betaPool({}, { kubelet: { maxPods: 60 } }, 'a'), betaPool({}, {}, 'b'), betaClass()]);

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

  it.each([
    ['{"maxPods":110}', { maxPods: 110 }],
    ['{"clusterDNS":["10.0.0.9"],"podsPerCore":4}', { clusterDNS: ['10.0.0.9'], podsPerCore: 4 }],
    ['{"systemReserved":{"cpu":"200m"}}', { systemReserved: { cpu: '200m' } }],
  ])('that Karpenter 1.0 kept in an annotation of a v1 NodePool move to its class: %s', (text, kubelet) => {
    const annotations = { [KUBELET_ANNOTATION]: text, 'example.com/team': 'a' };
    const pool = { ...nodePool(), metadata: { name: 'general', annotations } };
    const conversion = convert([pool, nodeClass()]);

    expect(kubeletsOf(conversion)).toEqual([['default', kubelet]]);
    expect(conversion.objects[0]?.object.metadata).toEqual({
      name: 'general',
      annotations: { 'example.com/team': 'a' },
    });
  });

  it('of a class of v1 stay for the pools that use them, and pools with an annotation get a copy', () => {
    const annotations = { [KUBELET_ANNOTATION]: '{"maxPods":30}' };
    const conversion = convert([
      { ...nodePool(), metadata: { name: 'small', annotations } },
      nodePool(),
      nodeClass({ kubelet: { maxPods: 110 } }),
    ]);

    expect(kubeletsOf(conversion)).toEqual([
      ['default', { maxPods: 110 }],
      ['default-small', { maxPods: 30 }],
    ]);
  });
});
