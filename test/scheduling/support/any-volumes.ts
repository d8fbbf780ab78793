import fc from 'fast-check';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import type { VolumeClaim } from '../../../shared/model/pods/storage.ts';
import { aBoundClaim, aStorage, aStorageClass, aVolume, aVolumeClaim, EBS, inZones } from '../../support/storage.ts';
import type { ClusterFeature } from './any-cluster.ts';
import { Z1, Z2, Z3 } from './fixture.ts';

/** The kind of volume that each pod of an app has. */
type Kind = 'none' | 'of its own' | 'in a zone' | 'shared' | 'ephemeral' | 'two';
const anyKind = fc.constantFrom<Kind>('none', 'of its own', 'in a zone', 'shared', 'ephemeral', 'two');

const ZONES = [Z1, Z2, Z3];

/** Adds pods with volumes, and nodes that attach few of them. */
export const anyVolumes: fc.Arbitrary<ClusterFeature> = fc
  .record({
    kinds: fc.array(anyKind, { minLength: 4, maxLength: 4 }),
    attached: fc.constantFrom(undefined, 1, 2, 4),
    made: fc.constantFrom([], [inZones(Z1, Z2)]),
  })
  .map(
    ({ kinds, attached, made }): ClusterFeature =>
      (cluster) => {
        const needs = cluster.pods.map((pod, index) => ({ pod, ...needsOf(pod, index, kinds) }));
        const claims = needs.flatMap((need) => need.claims);
        return {
          ...cluster,
          pods: needs.map(({ pod, spec }) => (spec ? { ...pod, spec: { ...pod.spec, ...spec } } : pod)),
          storage: aStorage({
            claims: [...new Map(claims.map((claim) => [`${claim.namespace} ${claim.name}`, claim])).values()],
            volumes: ZONES.map((zone) => aVolume(`in-${zone}`, { nodeTerms: [inZones(zone)] })),
            classes: [aStorageClass({ nodeTerms: made, isDefault: true })],
            drivers: attached ? cluster.nodes.map(({ name }) => ({ name, attachLimits: { [EBS]: attached } })) : [],
          }),
        };
      },
  );

function needsOf(
  { nodeName, labels, name, namespace }: Pod,
  index: number,
  kinds: readonly Kind[],
): { readonly spec?: Partial<PodSpec>; readonly claims: readonly VolumeClaim[] } {
  const app = Number(labels.app?.replace('app-', '')) - 10;
  const zone = ZONES[(app + index) % ZONES.length] ?? Z1;
  const own = aVolumeClaim({ namespace, name: `data-${name}` });
  const kind = nodeName === undefined ? (kinds[app] ?? 'none') : 'none';
  switch (kind) {
    case 'of its own':
      return { spec: { volumeClaims: [own.name] }, claims: [own] };
    case 'in a zone': {
      const bound = aBoundClaim(`old-${name}`, `in-${zone}`, { namespace });
      return { spec: { volumeClaims: [bound.name] }, claims: [bound] };
    }
    case 'shared': {
      const shared = aBoundClaim(`shared-${app}`, `in-${ZONES[app % 3] ?? Z1}`, { namespace });
      return { spec: { volumeClaims: [shared.name] }, claims: [shared] };
    }
    case 'ephemeral':
      return { spec: { ephemeralVolumes: [{ name: 'scratch' }] }, claims: [] };
    case 'two': {
      const bound = aBoundClaim(`old-${name}`, `in-${zone}`, { namespace });
      return { spec: { volumeClaims: [own.name, bound.name] }, claims: [own, bound] };
    }
    case 'none':
      return { claims: [] };
  }
}
