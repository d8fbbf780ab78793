import { convertMetadata, convertRequirements, convertTaints } from './keys.ts';
import type { Tell } from './message.ts';
import { groupedRef } from './pool-parts.ts';
import { type Fields, fieldsOf, othersOf, present } from './written.ts';

/** NodeClaim of v1beta1: for the record, since nodes are made anew rather than applied. */
export function convertBetaClaim({ metadata, spec: writtenSpec }: Fields, tell: Tell): Fields {
  tell(
    'W-17',
    '',
    'made by the controller: normally another one takes its place, and nobody applies it',
  );
  const spec = fieldsOf(writtenSpec);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: present(convertMetadata(fieldsOf(metadata))),
    spec: present({
      ...othersOf(spec, ['kubelet']),
      nodeClassRef: groupedRef(fieldsOf(spec.nodeClassRef)),
      taints: convertTaints(spec.taints),
      startupTaints: convertTaints(spec.startupTaints),
      requirements: convertRequirementsOfClaim(spec, tell),
    }),
  };
}

/** A claim, unlike a pool, may name the pool that it is of. */
const convertRequirementsOfClaim = ({ requirements }: Fields, tell: Tell): readonly Fields[] =>
  convertRequirements(requirements, 'spec.requirements', tell, 'NodeClaim');
