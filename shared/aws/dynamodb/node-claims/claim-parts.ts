import type * as z from 'zod';
import type { Launch, NodeClaim } from '../../../model/nodes/node-claim.ts';
import { launchSchema, nodeClaimSchema } from '../../../model-schema/node-claim-schema.ts';
import type { Fields } from './contents.ts';

/**
 * The fields that the claims of a launch have in common, 17 of a claim's 18 KB: a plan writes them
 * once. Fields that differ between claims must not be added here, or each claim would have a content
 * of its own.
 */
const TEMPLATE_FIELDS = {
  pool: true,
  poolUid: true,
  poolHash: true,
  poolHashVersion: true,
  nodeClass: true,
  labels: true,
  annotations: true,
  taints: true,
  startupTaints: true,
  requirements: true,
  instanceTypes: true,
  expireAfterMs: true,
  expiresVoluntarily: true,
  terminationGracePeriodMs: true,
  minDrainMs: true,
} as const satisfies { readonly [K in keyof NodeClaim]?: true };

/** The fields that instances of one type, zone and EC2NodeClass have in common. */
const LAUNCH_FIELDS = {
  instanceType: true,
  zone: true,
  capacityType: true,
  hourlyUsd: true,
  imageId: true,
  setup: true,
  subnetId: true,
  securityGroupIds: true,
  instanceProfile: true,
  nodeClassHash: true,
  nodeClassHashVersion: true,
  labels: true,
  capacity: true,
  allocatable: true,
} as const satisfies { readonly [K in keyof Launch]?: true };

export const templateSchema = nodeClaimSchema.pick(TEMPLATE_FIELDS);
export const launchedSchema = launchSchema.pick(LAUNCH_FIELDS);
/** The remaining fields, which are in the row. Fields that a newer release added stay in the row. */
export const ownSchema = nodeClaimSchema
  .omit(TEMPLATE_FIELDS)
  .extend({ launch: launchSchema.omit(LAUNCH_FIELDS).exactOptional() });

export type Template = z.output<typeof templateSchema>;
export type Launched = z.output<typeof launchedSchema>;
export type OwnFields = z.output<typeof ownSchema>;

export interface ClaimParts {
  readonly own: Fields;
  readonly template: Fields;
  readonly launched: Fields | undefined;
}

export function splitClaim(claim: NodeClaim): ClaimParts {
  const { launch, ...others } = claim;
  const { own, shared: template } = splitFields(others, TEMPLATE_FIELDS);
  if (!launch) return { own, template, launched: undefined };
  const { own: ownLaunch, shared: launched } = splitFields(launch, LAUNCH_FIELDS);
  return { own: { ...own, launch: ownLaunch }, template, launched };
}

function splitFields(value: object, shared: Readonly<Record<string, true>>) {
  const entries = Object.entries(value);
  return {
    own: Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(shared, key))),
    shared: Object.fromEntries(entries.filter(([key]) => Object.hasOwn(shared, key))),
  };
}

/** The claims share the objects of the template, so that five thousand need little memory. */
export function joinClaim(
  { launch, ...own }: OwnFields,
  template: Template,
  launched: Launched | undefined,
): NodeClaim {
  const claim = { ...template, ...own };
  return launch && launched ? { ...claim, launch: { ...launched, ...launch } } : claim;
}
