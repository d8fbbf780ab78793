import {
  type _InstanceType,
  CreateFleetCommand,
  type EC2Client,
  EC2ServiceException,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { readEC2NodeClass, type WrittenEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import { listInstanceTypes, type TypeSettings } from '../../ec2/catalogue/instance-types.ts';
import { findImage } from '../../ec2/node-class/image-choice.ts';
import { TENANCY_LABEL, type Tenancy } from '../../ec2/node-class/launch-template/template-content.ts';
import { groupByTemplate, type TemplateGroup } from '../../ec2/node-class/launch-template/template-groups.ts';
import { ProfilePropagationError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { LaunchRequest } from '../../ports/cloud.ts';
import type { DryRunResult, ResolvedNodeClass } from '../../ports/node-classes.ts';
import { buildFleetRequest, tagCreated } from '../ec2/launch/fleet-request.ts';
import type { LaunchTemplates } from './launch-templates.ts';

export interface DryRunDependencies {
  readonly ec2: EC2Client;
  readonly templates: LaunchTemplates;
}

export interface DryRunSettings {
  readonly tenancy: Tenancy;
  /** How instance types are computed; undefined for the defaults. */
  readonly types?: TypeSettings;
}

/** Small types that are sold everywhere: permissions hardly depend on the type. */
const USUAL_TYPES: ReadonlySet<string> = new Set(['m5.large', 'm6g.large']);
/** The parts of an on-demand instance, all of which a launch tags. */
const INSTANCE_RESOURCES = ['instance', 'volume', 'network-interface'] as const;
const ALLOWED: DryRunResult = { outcome: 'allowed' };

/**
 * Checks by dry runs whether nodes of a class may be launched. Only the launch template is created,
 * because EC2 accepts no dry run without one.
 *
 * @throws EC2ServiceException - the error says nothing about the class
 * @throws ProfilePropagationError - IAM has not propagated the instance profile yet
 */
export async function dryRunLaunch(
  { ec2, templates }: DryRunDependencies,
  resolved: ResolvedNodeClass,
  order: DryRunSettings = { tenancy: 'default' },
): Promise<DryRunResult> {
  const group = findTemplateGroup(resolved, order);
  // Without a type there is no image either, which AMIsReady already reports.
  if (!group) return ALLOWED;
  const { written } = resolved;
  const template = await readVerdict('CreateLaunchTemplateAuthCheckFailed', written, () =>
    templates.ensure(group.content),
  );
  if (template.outcome === 'refused') return template;
  const dryRun = { resolved, group, template: template.value ?? '', launch: toLaunch(resolved) };
  const fleet = await readVerdict('CreateFleetAuthCheckFailed', written, () =>
    ec2.send(new CreateFleetCommand({ ...buildFleetDryRun(dryRun), DryRun: true })),
  );
  return fleet.outcome === 'refused' ? fleet : dryRunInstances(ec2, dryRun);
}

interface DryRun {
  readonly resolved: ResolvedNodeClass;
  readonly group: TemplateGroup;
  readonly template: string;
  readonly launch: LaunchRequest;
}

/** A claim without anything of a NodePool. */
const buildDryRunClaim = ({ name, uid }: ResolvedNodeClass): NodeClaim => ({
  name: `${name}-dry-run`,
  uid: `${uid}-dry-run`,
  pool: 'dry-run',
  poolHash: '',
  nodeClass: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name },
  createdAt: 0,
  labels: {},
  annotations: {},
  taints: [],
  startupTaints: [],
  requirements: [],
  instanceTypes: [],
  requests: {},
  decision: 'dry-run',
});

/**
 * Returns the template of one of the usual types, or of any type that the class has an image for.
 */
function findTemplateGroup(resolved: ResolvedNodeClass, { tenancy, types }: DryRunSettings): TemplateGroup | undefined {
  const reading = readEC2NodeClass(resolved.name, resolved.written);
  if (reading.outcome !== 'read') return undefined;
  const startable = listInstanceTypes(reading.value, undefined, types).filter(
    ({ labels }) => findImage(resolved.images, labels) !== undefined,
  );
  const type = startable.find(({ name }) => USUAL_TYPES.has(name)) ?? startable[0];
  if (!type) return undefined;
  const dedicated = { key: TENANCY_LABEL, operator: 'In', values: [tenancy] } as const;
  const requirements = tenancy === 'dedicated' ? [dedicated] : [];
  const claim = { ...buildDryRunClaim(resolved), requirements };
  return groupByTemplate(claim, resolved, reading.value, 'on-demand', [type])[0];
}

function toLaunch(resolved: ResolvedNodeClass): LaunchRequest {
  const claim = buildDryRunClaim(resolved);
  return { id: claim.uid, attempt: 1, claims: [claim], isRepeated: false, existingInstances: [] };
}

function buildFleetDryRun({ resolved, group, template, launch }: DryRun) {
  const [instanceType = ''] = group.instanceTypes;
  const offerings = resolved.subnets.map(({ zone }) => ({
    instanceType,
    zone,
    capacityType: 'on-demand' as const,
    hourlyUsd: 0,
  }));
  const { ClientToken: _, ...request } = buildFleetRequest(
    launch,
    { capacityType: 'on-demand', offerings, count: 1 },
    {
      cluster: resolved.cluster.name,
      nodeClass: resolved,
      templates: [{ name: template, instanceTypes: [instanceType] }],
      launchedCount: 0,
    },
  );
  return request;
}

/** One subnet that EC2 accepts is enough; otherwise the first subnet's refusal is returned. */
async function dryRunInstances(ec2: EC2Client, dryRun: DryRun): Promise<DryRunResult> {
  const { written, subnets } = dryRun.resolved;
  const attempts: (() => Promise<DryRunResult>)[] = subnets.map(
    ({ id }) =>
      () =>
        readVerdict('RunInstancesAuthCheckFailed', written, () =>
          ec2.send(new RunInstancesCommand(buildInstanceDryRun(id, dryRun))),
        ),
  );
  const outcomes: PromiseSettledResult<DryRunResult>[] = [];
  for (const attempt of attempts) {
    const [outcome] = await Promise.allSettled([attempt()]);
    if (outcome.status === 'fulfilled' && outcome.value.outcome === 'allowed') return ALLOWED;
    outcomes.push(outcome);
  }
  const [first] = outcomes;
  if (first?.status === 'rejected') throw first.reason;
  return first?.value ?? ALLOWED;
}

function buildInstanceDryRun(SubnetId: string, { resolved, group, template, launch }: DryRun) {
  const [type] = group.instanceTypes;
  const Groups = resolved.securityGroups.map(({ id }) => id);
  return {
    LaunchTemplate: { LaunchTemplateName: template, Version: '$Latest' },
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId, Groups }],
    // The SDK's union of names lags behind EC2, which adds types every month.
    InstanceType: type as _InstanceType,
    MinCount: 1,
    MaxCount: 1,
    TagSpecifications: tagCreated(INSTANCE_RESOURCES, launch, resolved),
    DryRun: true,
  };
}

type DryRunVerdict<T> =
  | { readonly outcome: 'allowed'; readonly value: T | undefined }
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string };

/**
 * Returns EC2's verdict on a dry-run request.
 *
 * @param reason - reason of the condition if the request is denied
 * @throws EC2ServiceException - the error says nothing about the class, such as throttling
 * @throws ProfilePropagationError - IAM has not propagated the instance profile yet
 */
async function readVerdict<T>(
  reason: string,
  written: WrittenEC2NodeClass,
  call: () => Promise<T>,
): Promise<DryRunVerdict<T>> {
  try {
    return { outcome: 'allowed', value: await call() };
  } catch (error) {
    if (!(error instanceof EC2ServiceException)) throw error;
    // EC2's answer to a dry run that it would accept.
    if (error.name === 'DryRunOperation') return { outcome: 'allowed', value: undefined };
    const refusal = toRefusal(error, reason, written);
    if (!refusal && isProfileUnknown(error.message)) throw new ProfilePropagationError(error.message, { cause: error });
    if (!refusal) throw error;
    return { outcome: 'refused', ...refusal };
  }
}

const DENIED: ReadonlySet<string> = new Set(['UnauthorizedOperation', 'AccessDenied', 'AuthFailure']);

function toRefusal(
  { name, message }: EC2ServiceException,
  reason: string,
  { spec }: WrittenEC2NodeClass,
): { readonly reason: string; readonly message: string } | undefined {
  if (DENIED.has(name)) return { reason, message: `${explainDenial(message)}: ${message}` };
  if (message.includes('User data is limited to')) {
    return { reason: 'UserDataSizeLimitExceeded', message };
  }
  if (!isProfileUnknown(message) || !spec.instanceProfile) return undefined;
  const why = `EC2 knows no instance profile ${spec.instanceProfile}`;
  return { reason: 'InstanceProfileNotFound', message: why };
}

/**
 * EC2 does not know an instance profile for some seconds after Mortise has created it.
 *
 * @see Karpenter's AWS provider, `IsInstanceProfileNotFound`
 */
const isProfileUnknown = (message: string): boolean => message.includes('Invalid IAM Instance Profile name');

/** The message of IAM names the policy type that denied the request. */
function explainDenial(message: string): string {
  if (message.includes('permissions boundary')) return 'a permissions boundary denies it';
  if (message.includes('service control policy')) return 'a service control policy denies it';
  return 'no policy allows it';
}
