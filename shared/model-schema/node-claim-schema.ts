import * as z from 'zod';
import { DRIFT_REASONS, type Drift } from '../model/nodes/drift.ts';
import type { ImpairmentCause, InterruptionCause } from '../model/nodes/interruption.ts';
import type { ClaimWait, Launch, NodeClaim, RemovalReason, RequestedBy } from '../model/nodes/node-claim.ts';
import type { Reboot } from '../model/nodes/reboot.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import {
  amountsSchema,
  instantSchema,
  labelsSchema,
  nodeClassRefSchema,
  requirementSchema,
  taintSchema,
} from './field-schemas.ts';
import { capacityTypeSchema } from './offering-schema.ts';

export const launchSchema = z.looseObject({
  providerId: z.string(),
  instanceType: z.string(),
  zone: z.string(),
  capacityType: capacityTypeSchema,
  hourlyUsd: z.number(),
  imageId: z.string().exactOptional(),
  setup: z.string().exactOptional(),
  subnetId: z.string().exactOptional(),
  securityGroupIds: z.array(z.string()).exactOptional(),
  instanceProfile: z.string().exactOptional(),
  nodeClassHash: z.string().exactOptional(),
  nodeClassHashVersion: z.string().exactOptional(),
  calledAt: instantSchema.exactOptional(),
  at: instantSchema,
  labels: labelsSchema,
  capacity: amountsSchema,
  allocatable: amountsSchema,
} satisfies FieldsOf<Launch>);

const removalSchema = oneOf<RemovalReason>({
  Underutilized: 'Underutilized',
  Empty: 'Empty',
  Drifted: 'Drifted',
  Interrupted: 'Interrupted',
  Expired: 'Expired',
  Unhealthy: 'Unhealthy',
  InsufficientCapacity: 'InsufficientCapacity',
  LaunchTimeout: 'LaunchTimeout',
  RegistrationTimeout: 'RegistrationTimeout',
  InstanceGone: 'InstanceGone',
  Requested: 'Requested',
});

const requestedBySchema = oneOf<RequestedBy>({
  NodeClaim: 'NodeClaim',
  Node: 'Node',
  NodePool: 'NodePool',
});

const IMPAIRMENTS = {
  system_status: 'system_status',
  instance_status: 'instance_status',
  event_status: 'event_status',
} as const;
const impairmentSchema = oneOf<ImpairmentCause>(IMPAIRMENTS);
const interruptionSchema = oneOf<InterruptionCause>({
  ...IMPAIRMENTS,
  spot_interrupted: 'spot_interrupted',
  capacity_reservation_interrupted: 'capacity_reservation_interrupted',
  capacity_block_expiring: 'capacity_block_expiring',
  instance_stopped: 'instance_stopped',
  instance_terminated: 'instance_terminated',
  scheduled_change: 'scheduled_change',
});

const driftSchema = z.looseObject({
  reason: z.enum(DRIFT_REASONS),
  text: z.string(),
  since: instantSchema,
} satisfies FieldsOf<Drift>);

const waitSchema = z.looseObject({
  condition: oneOf<ClaimWait['condition']>({
    Launched: 'Launched',
    Registered: 'Registered',
    Initialized: 'Initialized',
    VolumesDetached: 'VolumesDetached',
    InstanceTerminating: 'InstanceTerminating',
  }),
  status: oneOf<ClaimWait['status']>({ Unknown: 'Unknown', False: 'False' }),
  reason: z.string(),
  message: z.string(),
  since: instantSchema,
} satisfies FieldsOf<ClaimWait>);

const rebootSchema = z.looseObject({
  cause: z.string(),
  requestedAt: instantSchema,
  drainMs: z.number().exactOptional(),
  fromBoot: z.looseObject({ id: z.string(), at: instantSchema }).exactOptional(),
  issuedAt: instantSchema.exactOptional(),
  bootedAt: instantSchema.exactOptional(),
  endedAt: instantSchema.exactOptional(),
} satisfies FieldsOf<Reboot>);

/** A stored claim. Fields that a newer release added are kept, so that they are written back. */
export const nodeClaimSchema = z.looseObject({
  name: z.string(),
  uid: z.string(),
  pool: z.string(),
  poolUid: z.string().exactOptional(),
  poolHash: z.string(),
  poolHashVersion: z.string().exactOptional(),
  nodeClass: nodeClassRefSchema,
  createdAt: instantSchema,
  labels: labelsSchema,
  annotations: labelsSchema,
  taints: z.array(taintSchema),
  startupTaints: z.array(taintSchema),
  requirements: z.array(requirementSchema),
  instanceTypes: z.array(z.string()),
  requests: amountsSchema,
  expireAfterMs: z.number().exactOptional(),
  expiresVoluntarily: z.literal(true).exactOptional(),
  rebalanceRecommendedAt: instantSchema.exactOptional(),
  terminationGracePeriodMs: z.number().exactOptional(),
  minDrainMs: z.number().exactOptional(),
  decision: z.string(),
  launchId: z.string().exactOptional(),
  launch: launchSchema.exactOptional(),
  nodeName: z.string().exactOptional(),
  isTagged: z.literal(true).exactOptional(),
  lastPodEventAt: instantSchema.exactOptional(),
  consolidatableSince: instantSchema.exactOptional(),
  removal: removalSchema.exactOptional(),
  requestedBy: requestedBySchema.exactOptional(),
  interruption: interruptionSchema.exactOptional(),
  impairments: z.array(impairmentSchema).exactOptional(),
  podsWaitedSince: instantSchema.exactOptional(),
  expects: amountsSchema.exactOptional(),
  podRunningAt: instantSchema.exactOptional(),
  waitsFor: waitSchema.exactOptional(),
  shortfall: z.looseObject({ text: z.string(), since: instantSchema }).exactOptional(),
  nodeMissingSince: instantSchema.exactOptional(),
  instanceAbsentSince: instantSchema.exactOptional(),
  drift: driftSchema.exactOptional(),
  keptByHand: z.literal(true).exactOptional(),
  repairVetoed: z.literal(true).exactOptional(),
  reboots: z.array(rebootSchema).exactOptional(),
  heldUpBy: z.record(z.string(), instantSchema).exactOptional(),
  restarts: z.record(z.string(), instantSchema).exactOptional(),
  refusedRestarts: z.record(z.string(), z.string()).exactOptional(),
  blockedDrain: z
    .looseObject({
      pods: z.number(),
      since: instantSchema,
      text: z.string().exactOptional(),
      blockers: z.array(z.looseObject({ pod: z.string(), why: z.string(), remedy: z.string() })).exactOptional(),
      reportedAt: instantSchema.exactOptional(),
    })
    .exactOptional(),
  drainDeadline: instantSchema.exactOptional(),
  registeredAt: instantSchema.exactOptional(),
  initializedAt: instantSchema.exactOptional(),
  deletingAt: instantSchema.exactOptional(),
  drainingAt: instantSchema.exactOptional(),
  drainedAt: instantSchema.exactOptional(),
  volumesDetachedAt: instantSchema.exactOptional(),
  terminatingAt: instantSchema.exactOptional(),
  terminatedAt: instantSchema.exactOptional(),
} satisfies FieldsOf<NodeClaim>);
