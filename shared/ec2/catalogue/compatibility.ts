import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import { AMI_FAMILIES } from './ami-families.ts';
import type { Ec2Type, PlacementStrategy } from './ec2-types.ts';

type Rule = (type: Ec2Type, nodeClass: EC2NodeClass) => string | undefined;

/** The first violated rule is reported. */
const RULES: readonly Rule[] = [
  checkImage,
  checkInterfaces,
  checkNestedVirtualization,
  checkConnectionTracking,
  checkEnclaves,
];

/**
 * Returns why nodes of the class cannot have the type in any zone, or undefined if they can.
 * `findPlacementConflict` checks placement groups, once the strategy of the class's group is known.
 */
export function findIncompatibility(type: Ec2Type, nodeClass: EC2NodeClass): string | undefined {
  for (const rule of RULES) {
    const why = rule(type, nodeClass);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * Returns why the type cannot run in a placement group with this strategy, or undefined if it can.
 */
export const findPlacementConflict = ({ placements }: Ec2Type, strategy: PlacementStrategy): string | undefined =>
  placements.includes(strategy) ? undefined : `cannot stand in a ${strategy} placement group`;

function checkImage({ family, arch }: Ec2Type, { amiFamily }: EC2NodeClass): string | undefined {
  // AL2023 needs newer cores than the first Graviton's.
  if (amiFamily === 'AL2023' && family === 'a1') return 'AL2023 does not boot on a1';
  const isWindows = AMI_FAMILIES[amiFamily].os === 'windows';
  return isWindows && arch !== 'amd64' ? `${amiFamily} runs on amd64 alone` : undefined;
}

function checkInterfaces(
  { cards, efaInterfaces, hasEna }: Ec2Type,
  { networkInterfaces }: EC2NodeClass,
): string | undefined {
  if (!networkInterfaces) return undefined;
  if (!hasEna) return 'has no enhanced networking, which networkInterfaces need';
  const misplaced = networkInterfaces.find(({ card, device }) => device >= (cards[card] ?? 0));
  if (misplaced) {
    const { card, device } = misplaced;
    return cards[card] === undefined ? `has no network card ${card}` : `network card ${card} has no device ${device}`;
  }
  const efaOnly = networkInterfaces.filter(({ type }) => type === 'efa-only').length;
  return efaOnly > efaInterfaces
    ? `has ${efaInterfaces} EFA interfaces of the ${efaOnly} in networkInterfaces`
    : undefined;
}

function checkNestedVirtualization(type: Ec2Type, nodeClass: EC2NodeClass): string | undefined {
  return nodeClass.nestsVirtualization && !type.nestsVirtualization ? 'has no nested virtualization' : undefined;
}

function checkConnectionTracking({ hypervisor }: Ec2Type, nodeClass: EC2NodeClass): string | undefined {
  return nodeClass.tracksConnections && hypervisor !== 'nitro'
    ? 'is not on Nitro, which connectionTracking needs'
    : undefined;
}

function checkEnclaves({ hasEnclaves }: Ec2Type, { runsEnclaves }: EC2NodeClass): string | undefined {
  return runsEnclaves && !hasEnclaves ? 'does not support Nitro Enclaves' : undefined;
}
