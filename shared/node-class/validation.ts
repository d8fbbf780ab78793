import type { WrittenEC2NodeClass } from '../api/ec2-node-class.ts';
import { readEC2NodeClass } from '../api/read-ec2-node-class.ts';
import type { ClusterFacts } from '../model/resolved-node-class.ts';
import type { Found } from './conditions.ts';

const refused = (reason: string, message: string): Found<never> => ({
  outcome: 'refused',
  reason,
  message,
});

/** What can be said against a class without asking anybody, the first objection only. */
export function validate(
  name: string,
  written: WrittenEC2NodeClass,
  { serviceCidr }: ClusterFacts,
): Found<void> {
  const reading = readEC2NodeClass(name, written);
  if (reading.outcome === 'refused') {
    const why = reading.findings.map(({ what }) => what).join('; ');
    return refused('UnsupportedNodeClass', why);
  }
  if (reading.value.amiFamily === 'AL2023' && serviceCidr === undefined) {
    const why = 'the address range of Services is not known, and AL2023 nodes cannot join without';
    return refused('ClusterCIDRResolutionFailed', why);
  }
  return { outcome: 'found', value: undefined };
}
